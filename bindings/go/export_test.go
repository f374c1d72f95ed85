package stint

// This file exports internals to the tests only.

import (
	"context"
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"
)

// CompileFrom compiles the engine that the files have as the module would carry it.
var CompileFrom = compileFrom

// Reserve is the export of that name: tests make it trap, which the methods of an engine do not let happen.
func (e *Engine) Reserve(ctx context.Context, size uint32) error {
	_, err := e.call(ctx, "reserve", uint64(size))
	return err
}

// PollWithText is Poll, and the decisions as the engine wrote them.
func (e *Engine) PollWithText(ctx context.Context, nowMs int64, maxRequests int) (*PollResult, []byte, error) {
	frame, err := e.timedResult(e.call(ctx, "poll", encodeNumber(nowMs), api.EncodeI32(int32(maxRequests))))
	if err != nil {
		return nil, nil, err
	}
	result, err := readPollFrame(frame)
	length := binary.LittleEndian.Uint32(frame[4:])
	return result, frame[uint32(len(frame))-length:], err
}

// Ask puts a question, and returns the answer as the engine wrote it.
func (e *Engine) Ask(ctx context.Context, name string, question []byte, nowMs int64) ([]byte, error) {
	if name == "review" {
		return e.Review(ctx, question)
	}
	return e.result(e.callWithInput(ctx, name, question, nil, encodeNumber(nowMs)))
}
