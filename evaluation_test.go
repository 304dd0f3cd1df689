package dropyard_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNoValueDependsOnTheOrderOfEvaluation finds variables that are read beside a call
// that sets them, as in
//
//	return count, query(&count)
//
// Go evaluates calls from left to right, but leaves open whether count is read before
// the call or after it.
func TestNoValueDependsOnTheOrderOfEvaluation(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	var parsed []*ast.File
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		parsed = append(parsed, file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	setters := settersOf(parsed)
	for _, file := range parsed {
		for _, found := range setters.unordered(file) {
			t.Errorf("%s: %s is read beside a call that sets it: call first, then read", files.Position(found.at), found.name)
		}
	}
}

func TestOrderOfEvaluation(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		"var n int; return n, f(&n)":                                                 1,
		"var n int; return f(&n), n":                                                 1,
		"var n int; return f(&n), g(n)":                                              1,
		"var n int; return g(n), f(&n)":                                              0, // calls have an order
		"var n []int; return len(n), f(&n)":                                          1,
		"var n int; return &n, f(&n)":                                                0, // the address does not change
		"var n int; return n, f(func() { n = 1 })":                                   1,
		"var n int; return n, f(func() { n++ })":                                     1,
		"var n int; return n, f(func() { for n = range 3 {} })":                      1,
		"var n int; return n, f(func() { scan(&n) })":                                1,
		"var n int; return n, f(func() { n := 1; _ = n })":                           0, // another variable
		"var n int; return n, f(func() { m := n; _ = m })":                           0,
		"var n t; return n.a, f(&n)":                                                 1,
		"var n t; return n, f(&n.a)":                                                 1,
		"var n t; return n.b, f(&n.a)":                                               0,
		"n := &t{}; return n, f(&n.a)":                                               0, // the pointer does not change
		"var n int; return func() int { return n }, f(&n)":                           0, // read later
		"var n int; m, err := n, f(&n); return m, err":                               1,
		"var n int; return g(n, f(&n))":                                              1,
		"var n int; return t{n, f(&n)}":                                              1,
		"var n int; return n + f(&n)":                                                1,
		"var n bool; return f(&n) && n":                                              0, // && has an order
		"var n t; return n, n.set()":                                                 1,
		"n := &t{}; return n.a, n.set()":                                             1,
		"n := &t{}; return n, n.set()":                                               0,
		"var n t; return n, n.get()":                                                 0,
		"var n int; if err := f(&n); err != nil { return n, err }; return n, g(nil)": 0,
	} {
		const rest = "; func (n *t) set() error { n.a = 1; return nil }; func (n *t) get() error { return nil }"
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p; func x() { "+body+" }"+rest, 0)
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if got := len(settersOf([]*ast.File{file}).unordered(file)); got != want {
			t.Errorf("%s: got %d findings, want %d", body, got, want)
		}
	}
}

// variable is a local variable, or with a path a field of one.
type variable struct {
	//lint:ignore SA1019 it is right for local variables, the only ones that are looked at
	root *ast.Object //nolint:staticcheck // the same for golangci-lint
	path string      // such as .rows; empty for the variable itself
	at   token.Pos
	name string
}

// within reports whether v is the same as outer or a part of it.
func (v variable) within(outer variable) bool {
	return v.root == outer.root && (v.path == outer.path || strings.HasPrefix(v.path, outer.path+"."))
}

// changedBy reports whether reading v gives another value when set has been set.
func (v variable) changedBy(set variable) bool {
	return v.within(set) || set.within(v) && !v.pointer()
}

// pointer reports whether v is declared as a pointer, whose own value stays the same
// when what it points at is set.
func (v variable) pointer() bool {
	if v.path != "" {
		return false
	}
	switch declared := v.root.Decl.(type) {
	case *ast.Field:
		_, is := declared.Type.(*ast.StarExpr)
		return is
	case *ast.ValueSpec:
		_, is := declared.Type.(*ast.StarExpr)
		return is
	case *ast.AssignStmt:
		at := slices.IndexFunc(declared.Lhs, func(e ast.Expr) bool {
			name, is := e.(*ast.Ident)
			return is && name.Obj == v.root
		})
		if len(declared.Lhs) != len(declared.Rhs) { // from a call: structs are mostly returned as pointers
			return true
		}
		switch value := declared.Rhs[at].(type) {
		case *ast.UnaryExpr:
			return value.Op == token.AND
		case *ast.CallExpr:
			return true
		}
	}
	return false
}

// variableOf returns the local variable, or the field of one, that an expression is.
func variableOf(e ast.Expr) (v variable, is bool) {
	switch e := e.(type) {
	case *ast.Ident:
		return variable{e.Obj, "", e.Pos(), e.Name}, e.Obj != nil && e.Obj.Kind == ast.Var
	case *ast.SelectorExpr:
		v, is = variableOf(e.X)
		v.path, v.name = v.path+"."+e.Sel.Name, v.name+"."+e.Sel.Name
		return v, is
	case *ast.ParenExpr:
		return variableOf(e.X)
	}
	return v, false
}

// onlyRead are the functions that are passed addresses, to save a copy, and only read.
var onlyRead = []string{"scopesOf", "later", "placeOf"}

// setters holds the fields that methods set of their receivers, by the methods' names.
// Exported methods are left out: without types those of time.Time look the same.
type setters map[string][]string

func settersOf(files []*ast.File) setters {
	found := setters{}
	for _, file := range files {
		for _, declared := range file.Decls {
			method, is := declared.(*ast.FuncDecl)
			if !is || method.Recv == nil || method.Body == nil || len(method.Recv.List[0].Names) == 0 {
				continue
			}
			if _, pointer := method.Recv.List[0].Type.(*ast.StarExpr); !pointer || method.Name.IsExported() {
				continue
			}
			receiver := method.Recv.List[0].Names[0].Obj
			for _, v := range assigned(method.Body) {
				if v.root == receiver && v.path != "" {
					found[method.Name.Name] = append(found[method.Name.Name], v.path)
				}
			}
		}
	}
	return found
}

// assigned returns what the statements in a node assign to.
func assigned(within ast.Node) (found []variable) {
	add := func(e ast.Expr) {
		if v, is := variableOf(e); is {
			found = append(found, v)
		}
	}
	ast.Inspect(within, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				add(left)
			}
		case *ast.IncDecStmt:
			add(n.X)
		case *ast.RangeStmt:
			add(n.Key)
			add(n.Value)
		}
		return true
	})
	return found
}

// set returns what the calls in an expression set: by an address that they are passed,
// by a function that they are passed, or as the receiver of a method that sets its fields.
func (s setters) set(e ast.Expr) (found []variable) {
	ast.Inspect(e, func(n ast.Node) bool {
		if _, later := n.(*ast.FuncLit); later {
			return false
		}
		call, is := n.(*ast.CallExpr)
		if !is {
			return true
		}
		if name, is := call.Fun.(*ast.Ident); is && slices.Contains(onlyRead, name.Name) {
			return true
		}
		ast.Inspect(call, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				return n == call
			case *ast.UnaryExpr:
				if v, is := variableOf(n.X); is && n.Op == token.AND {
					found = append(found, v)
				}
			case *ast.FuncLit:
				found = append(append(found, assigned(n.Body)...), addressed(n.Body)...)
			}
			return true
		})
		if method, is := call.Fun.(*ast.SelectorExpr); is {
			if v, is := variableOf(method.X); is {
				for _, field := range s[method.Sel.Name] {
					found = append(found, variable{root: v.root, path: v.path + field})
				}
			}
		}
		return true
	})
	return found
}

// addressed returns the variables whose addresses the statements in a node take.
func addressed(within ast.Node) (found []variable) {
	ast.Inspect(within, func(n ast.Node) bool {
		if taken, is := n.(*ast.UnaryExpr); is && taken.Op == token.AND {
			if v, is := variableOf(taken.X); is {
				found = append(found, v)
			}
		}
		return true
	})
	return found
}

// read returns what an expression reads, apart from receivers; with loose only what it
// reads outside of the arguments of calls, which are read before their call at the latest.
func read(e ast.Expr, loose bool) (found []variable) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			if _, is := variableOf(n.X); is && n.Op == token.AND {
				return false
			}
		case *ast.CallExpr:
			name, is := n.Fun.(*ast.Ident)
			if !loose || is && slices.Contains([]string{"len", "cap", "string", "int", "int64", "float64"}, name.Name) {
				for _, argument := range n.Args {
					found = append(found, read(argument, loose)...)
				}
			}
			return false
		case *ast.KeyValueExpr:
			found = append(found, read(n.Value, loose)...)
			return false
		case *ast.Ident, *ast.SelectorExpr:
			if v, is := variableOf(n.(ast.Expr)); is {
				found = append(found, v)
				return false
			}
		}
		return true
	})
	return found
}

// operands returns the expressions whose order of evaluation is open in a node.
func operands(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.ReturnStmt:
		return n.Results
	case *ast.AssignStmt:
		return n.Rhs
	case *ast.CallExpr:
		return n.Args
	case *ast.CompositeLit:
		return n.Elts
	case *ast.BinaryExpr:
		if n.Op != token.LAND && n.Op != token.LOR {
			return []ast.Expr{n.X, n.Y}
		}
	}
	return nil
}

// unordered returns the variables of a file that are read beside a call that sets them.
func (s setters) unordered(file *ast.File) (found []variable) {
	known := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		list := operands(n)
		if len(list) < 2 {
			return true
		}
		for i, setting := range list {
			for _, set := range s.set(setting) {
				for j, reading := range list {
					if i == j {
						continue
					}
					for _, v := range read(reading, j < i) {
						key := fmt.Sprint(v.at, v.name)
						if v.changedBy(set) && !known[key] {
							known[key] = true
							found = append(found, v)
						}
					}
				}
			}
		}
		return true
	})
	return found
}
