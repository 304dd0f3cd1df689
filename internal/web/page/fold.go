package page

import (
	"html/template"
	"strings"
	"text/template/parse"
)

// fold replaces the calls of functions whose arguments are all constant, such as
// {{t "page.skip"}}, by their results, as if these stood in the template. Templates
// call most of their functions so, and calls are most of what rendering a page costs. A
// result that would have to be escaped is left to html/template.
func fold(set *template.Template, functions map[string]func(arguments ...string) string) {
	f := folder{functions}
	for _, t := range set.Templates() {
		if t.Tree != nil {
			f.list(t.Tree.Root)
		}
	}
}

type folder struct {
	functions map[string]func(arguments ...string) string
}

// list folds what is in a list of nodes, and joins texts that follow each other.
func (f folder) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	folded := l.Nodes[:0]
	var last *parse.TextNode // the last of the folded nodes, if it is text
	for _, node := range l.Nodes {
		text := f.node(node)
		switch {
		case text == nil:
			last, folded = nil, append(folded, node)
		case last != nil:
			last.Text = append(last.Text, text.Text...)
		default:
			last, folded = text, append(folded, text)
		}
	}
	l.Nodes = folded
}

// node returns a node as text, or nil if it is not constant, after folding what is in it.
func (f folder) node(node parse.Node) *parse.TextNode {
	switch node := node.(type) {
	case *parse.TextNode:
		return node
	case *parse.ActionNode:
		if text, constant := f.call(node.Pipe); constant {
			return &parse.TextNode{NodeType: parse.NodeText, Pos: node.Pos, Text: []byte(text)}
		}
	case *parse.IfNode:
		f.branch(&node.BranchNode)
	case *parse.RangeNode:
		f.branch(&node.BranchNode)
	case *parse.WithNode:
		f.branch(&node.BranchNode)
	}
	return nil
}

func (f folder) branch(b *parse.BranchNode) {
	f.list(b.List)
	f.list(b.ElseList)
}

// escaped are the characters that html/template escapes in texts and in attributes with
// quotation marks, which is where templates have phrases and paths.
const escaped = "\x00\"&'+<>"

// call returns the result of a pipeline that only calls one of the functions with
// constant arguments, and whether it is one.
func (f folder) call(p *parse.PipeNode) (text string, constant bool) {
	if len(p.Decl) > 0 || len(p.Cmds) != 1 {
		return "", false
	}
	name, ok := p.Cmds[0].Args[0].(*parse.IdentifierNode)
	if !ok || f.functions[name.Ident] == nil {
		return "", false
	}
	var arguments []string
	for _, argument := range p.Cmds[0].Args[1:] {
		text, ok := argument.(*parse.StringNode)
		if !ok {
			return "", false
		}
		arguments = append(arguments, text.Text)
	}
	text = f.functions[name.Ident](arguments...)
	return text, !strings.ContainsAny(text, escaped)
}
