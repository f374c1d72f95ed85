package stint

// This file reads what the engine returns: numbers, poll frames and JSON. Invariant: slices that it hands out cannot be
// appended into one another. It trusts frames to be as the ABI says; nothing here calls the engine.

import (
	"encoding/binary"
	"encoding/json"
	"math"

	"github.com/tetratelabs/wazero/api"
)

const (
	pollHeadBytes    = 16
	requestHeadBytes = 32
	requestAlignment = 8
)

// Whole numbers cross the ABI as f64.
func encodeNumber(value int64) uint64 { return api.EncodeF64(float64(value)) }

func decodeNumber(bits uint64) int64 {
	// What int64 does not hold never comes: a deadline may be that far away.
	if value := api.DecodeF64(bits); value < math.MaxInt64 {
		return int64(value)
	}
	return Never
}

func readPollFrame(frame []byte) (*PollResult, error) {
	count, decisionsBytes := uint32At(frame, 0), uint32At(frame, 4)
	result := &PollResult{
		Requests:     make([]Request, count),
		NextWakeUpMs: decodeNumber(binary.LittleEndian.Uint64(frame[8:])),
	}
	at := pollHeadBytes
	for i := range result.Requests {
		result.Requests[i], at = readRequest(frame, at)
	}
	if decisionsBytes == 0 {
		return result, nil
	}
	var err error
	result.Decisions, err = decodeJSON[[]Decision](frame[at : at+decisionsBytes])
	return result, err
}

// readRequest reads the request that starts at a byte of the frame, and says where the next one starts.
func readRequest(frame []byte, start int) (Request, int) {
	head, at := frame[start:], start+requestHeadBytes
	take := func(lengthOffset int) []byte {
		from := at
		at += uint32At(head, lengthOffset)
		return frame[from:at:at]
	}
	request := Request{
		ID:          decodeNumber(binary.LittleEndian.Uint64(head)),
		Method:      methods[uint32At(head, 8)],
		Path:        string(take(12)),
		Accept:      string(take(16)),
		ContentType: string(take(20)),
		Body:        take(24),
		Decision:    uint32(uint32At(head, 28)),
	}
	return request, (at + requestAlignment - 1) &^ (requestAlignment - 1)
}

func uint32At(bytes []byte, offset int) int {
	return int(binary.LittleEndian.Uint32(bytes[offset:]))
}

func decodeJSON[T any](text []byte) (T, error) {
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		return value, noCode(err, "the engine's answer cannot be read: %v", err)
	}
	return value, nil
}
