package order

import (
	"errors"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Observer is called by the committer, for metrics. Its methods must be fast and
// safe for concurrent use.
type Observer interface {
	// Committed is called once for each group that was tried, whether it was
	// committed or not.
	Committed(Group)
	// Settled is called once for each command, of a batch once for each of its
	// orders, before its caller continues.
	Settled(kind CommandKind, outcome CommandOutcome)
	// Waited is called once for each command or batch, with the time from its
	// submission until its group was formed.
	Waited(time.Duration)
	// OverQuota is called once for each order that a quota has refused.
	OverQuota(QuotaName)
}

// Group describes the commit of one group of commands.
type Group struct {
	Commands int           // orders of a batch count one by one
	Took     time.Duration // all tries together
	Races    int           // tries that were lost because another node changed the same rows
	Retries  int           // tries that ended because the database could not be reached
	Blocked  int           // tries that ended because another transaction held locks for too long
}

// CommandKind says what a command is for.
type CommandKind string

// The kinds of commands.
const (
	CommandCreate  CommandKind = "create"
	CommandCancel  CommandKind = "cancel" // by the partner
	CommandAdvance CommandKind = "advance"
	CommandEdit    CommandKind = "edit"
	CommandRequest CommandKind = "request" // of a cancellation, by the partner
	CommandAnswer  CommandKind = "answer"  // to such a request
	CommandConfirm CommandKind = "confirm" // of edits, by the courier
	// CommandTransfer hands goods on, and CommandReceive receives those that come back.
	CommandTransfer CommandKind = "transfer"
	CommandReceive  CommandKind = "receive"
	CommandPick     CommandKind = "pick" // of items, by the warehouse
	// CommandCollected confirms or corrects what was collected of an order.
	CommandCollected CommandKind = "collected"
)

// CommandKinds lists them.
var CommandKinds = []CommandKind{
	CommandCreate, CommandCancel, CommandAdvance, CommandEdit, CommandRequest, CommandAnswer, CommandConfirm,
	CommandTransfer, CommandReceive, CommandPick, CommandCollected,
}

// CommandOutcome says how a command ended.
type CommandOutcome string

// The outcomes of commands.
const (
	OutcomeDone      CommandOutcome = "done"      // committed
	OutcomeReplayed  CommandOutcome = "replayed"  // answered with the record of an earlier, equal request
	OutcomeRefused   CommandOutcome = "refused"   // against the rules
	OutcomeFailed    CommandOutcome = "failed"    // not committed, by a fault of the service or the database
	OutcomeAbandoned CommandOutcome = "abandoned" // left alone because its caller had gone before
)

// CommandOutcomes lists them.
var CommandOutcomes = []CommandOutcome{OutcomeDone, OutcomeReplayed, OutcomeRefused, OutcomeFailed, OutcomeAbandoned}

// unobserved is the Observer of a service that has been given none.
type unobserved struct{}

func (unobserved) Committed(Group)                     {}
func (unobserved) Settled(CommandKind, CommandOutcome) {}
func (unobserved) Waited(time.Duration)                {}
func (unobserved) OverQuota(QuotaName)                 {}

// report reports how a command ended, or each order of a batch.
func report(observer Observer, cmd command, settled outcome) {
	batch, isBatch := bare(cmd).(*batchCommand)
	if !isBatch {
		reportOne(observer, bare(cmd), settled)
		return
	}
	for i, part := range batch.parts {
		of := settled // the error of the whole batch
		if settled.err == nil {
			of = settled.parts[i]
		}
		reportOne(observer, part, of)
	}
}

func reportOne(observer Observer, cmd command, settled outcome) {
	observer.Settled(kindOf(cmd), outcomeOf(settled))
	if quota := quotaOf(settled.err); quota != "" {
		observer.OverQuota(quota)
	}
}

func kindOf(cmd command) CommandKind {
	switch cmd := cmd.(type) {
	case *cancelCommand:
		return CommandCancel
	case *advanceCommand:
		return CommandAdvance
	case *editCommand:
		return CommandEdit
	case *requestCommand:
		return CommandRequest
	case *answerCommand:
		return CommandAnswer
	case *confirmCommand:
		return CommandConfirm
	case *transferCommand:
		return CommandTransfer
	case *receiveCommand:
		return CommandReceive
	case *pickCommand:
		return CommandPick
	case *collectedCommand:
		return CommandCollected
	case *refuseCommand:
		return cmd.kind
	default:
		return CommandCreate
	}
}

func outcomeOf(settled outcome) CommandOutcome {
	var refused *refusal.Error
	switch {
	case errors.Is(settled.err, errAbandoned):
		return OutcomeAbandoned
	case errors.As(settled.err, &refused):
		return OutcomeRefused
	case settled.err != nil:
		return OutcomeFailed
	case settled.replayed:
		return OutcomeReplayed
	default:
		return OutcomeDone
	}
}
