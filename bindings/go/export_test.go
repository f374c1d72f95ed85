package stint

// This file opens to the tests what nobody else may call.

import (
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"
)

// CompileFrom compiles the engine that the files have as the module would carry it.
var CompileFrom = compileFrom

// Reserve is the export of that name: tests make it trap, which the methods of an engine do not let happen.
func (e *Engine) Reserve(size uint32) error {
	_, err := e.call("reserve", uint64(size))
	return err
}

// PollWithText is Poll, and the decisions as the engine wrote them.
func (e *Engine) PollWithText(nowMs int64, maxRequests int) (*PollResult, []byte, error) {
	frame, err := e.timedResult(e.call("poll", encodeNumber(nowMs), api.EncodeI32(int32(maxRequests))))
	if err != nil {
		return nil, nil, err
	}
	result, err := readPollFrame(frame)
	length := binary.LittleEndian.Uint32(frame[4:])
	return result, frame[uint32(len(frame))-length:], err
}

// Ask puts a question, and returns the answer as the engine wrote it.
func (e *Engine) Ask(name string, question []byte, nowMs int64) ([]byte, error) {
	if name == "review" {
		return e.Review(question)
	}
	return e.result(e.callWithInput(name, question, nil, encodeNumber(nowMs)))
}
