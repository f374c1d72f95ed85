package vectors

import (
	"context"

	stint "github.com/stint-dev/stint/bindings/go"
)

// RecordedCall is a line of a recording, as bindings/ABI.md has it under "Recordings", without what came of the call.
type RecordedCall struct {
	Call          string              `json:"call"`
	Configuration stint.Configuration `json:"configuration"`
	OffsetMs      int64               `json:"offsetMs"`
	Now           int64               `json:"now"`
	Source        int32               `json:"source"`
	Kind          stint.IngestKind    `json:"kind"`
	Text          string              `json:"text"`
	ID            int64               `json:"id"`
	Status        int                 `json:"status"`
	RetryAfterMs  int64               `json:"retryAfterMs"`
	Max           int                 `json:"max"`
}

// Tell makes the call, and says whether it is one of those that tell the engine something. A poll is none of them.
func (c *RecordedCall) Tell(ctx context.Context, engine *stint.Engine) (told bool, err error) {
	switch c.Call {
	case "configure":
		err = engine.Configure(ctx, c.Configuration)
	case "clock":
		err = engine.SetClockOffset(ctx, c.OffsetMs)
	case "ingest":
		err = engine.Ingest(ctx, c.Source, c.Kind, []byte(c.Text), c.Now)
	case "settle":
		err = engine.Settle(ctx, c.ID, c.Status, c.RetryAfterMs, []byte(c.Text), c.Now)
	default:
		return false, nil
	}
	return true, err
}
