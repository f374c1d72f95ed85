package stint

// This file has a saved engine as bytes, which a file or another process can keep: what bindings/ABI.md says under
// "Save and restore". The bindings of other languages write the same bytes, and restore them. Invariant: bytes that are
// no whole save of this module change nothing. Leaves out compression, and a check sum of the memory.

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/tetratelabs/wazero/api"
)

// HostState is what the engine does not know of its host, and the next host must.
type HostState struct {
	// NowMs is the largest now of a call. The clock of the next host must not be behind it.
	NowMs int64
	// OpenRequests are the IDs of requests that were handed out and are not settled. The next host settles each; status
	// 0: unknown.
	OpenRequests []int64
}

const (
	saveMagic       = "STINTSAV"
	saveVersion     = 1
	saveHeadBytes   = 64
	saveGlobalBytes = 16
	saveIDBytes     = 8
	// A global is one of these: an i32, f32 or f64 as an f64, or an i64.
	saveNumber     = 0
	saveBigInteger = 1
)

// SaveBytes is Save as bytes, with what the host knows.
func (e *Engine) SaveBytes(ctx context.Context, host HostState) ([]byte, error) {
	saved, err := e.Save(ctx)
	if err != nil {
		return nil, err
	}
	hash, err := hex.DecodeString(saved.ModuleSHA256)
	if err != nil {
		return nil, noCode(err, "the SHA-256 of the module is %s, which is no hexadecimal", saved.ModuleSHA256)
	}
	ids := slices.Sorted(slices.Values(host.OpenRequests))
	order := binary.LittleEndian
	data := make([]byte, 0, saveHeadBytes+len(saved.Globals)*saveGlobalBytes+len(ids)*saveIDBytes+len(saved.Memory))
	data = append(data, saveMagic...)
	data = order.AppendUint32(data, saveVersion)
	data = order.AppendUint32(data, uint32(len(saved.Globals)))
	data = append(data, hash...)
	data = order.AppendUint64(data, math.Float64bits(float64(host.NowMs)))
	data = order.AppendUint32(data, uint32(len(ids)))
	data = order.AppendUint32(data, uint32(len(saved.Memory)/pageBytes))
	for i, bits := range saved.Globals {
		kind, value := numberOf(e.instance.globals[i].Type(), bits)
		data = order.AppendUint64(order.AppendUint64(data, kind), value)
	}
	for _, id := range ids {
		data = order.AppendUint64(data, math.Float64bits(float64(id)))
	}
	return append(data, saved.Memory...), nil
}

// RestoreBytes makes the engine what was saved, after a trap too, and returns what its host knew. It refuses bytes that
// are no save, and a save of another module; nothing has changed then.
func (e *Engine) RestoreBytes(ctx context.Context, data []byte) (HostState, error) {
	if len(data) < saveHeadBytes || string(data[:len(saveMagic)]) != saveMagic {
		return HostState{}, noSave("does not begin as one")
	}
	order := binary.LittleEndian
	if version := order.Uint32(data[8:]); version != saveVersion {
		return HostState{}, noSave("is of format %d, this binding reads format %d", version, saveVersion)
	}
	globals, ids, pages := int(order.Uint32(data[12:])), int(order.Uint32(data[56:])), int(order.Uint32(data[60:]))
	idsAt := saveHeadBytes + globals*saveGlobalBytes
	memoryAt := idsAt + ids*saveIDBytes
	if length := memoryAt + pages*pageBytes; len(data) != length {
		return HostState{}, noSave("has %d bytes, and should have %d", len(data), length)
	}
	saved := &SavedEngine{ModuleSHA256: hex.EncodeToString(data[16:48]), Memory: data[memoryAt:]}
	isOwn := saved.ModuleSHA256 == e.module.sha256
	if isOwn && globals != len(e.instance.globals) {
		return HostState{}, noSave("has %d globals, this module has %d", globals, len(e.instance.globals))
	}
	for i := 0; isOwn && i < globals; i++ {
		at := saveHeadBytes + i*saveGlobalBytes
		bits, err := bitsOf(e.instance.globals[i].Type(), order.Uint32(data[at:]), order.Uint64(data[at+8:]))
		if err != nil {
			return HostState{}, err
		}
		saved.Globals = append(saved.Globals, bits)
	}
	if err := e.Restore(ctx, saved); err != nil {
		return HostState{}, err
	}
	host := HostState{NowMs: decodeNumber(order.Uint64(data[48:]))}
	for at := idsAt; at < memoryAt; at += saveIDBytes {
		host.OpenRequests = append(host.OpenRequests, decodeNumber(order.Uint64(data[at:])))
	}
	return host, nil
}

// numberOf says how the value of a global is saved.
func numberOf(valueType api.ValueType, bits uint64) (kind, value uint64) {
	switch valueType {
	case api.ValueTypeI64:
		return saveBigInteger, bits
	case api.ValueTypeI32:
		return saveNumber, math.Float64bits(float64(api.DecodeI32(bits)))
	case api.ValueTypeF32:
		return saveNumber, math.Float64bits(float64(api.DecodeF32(bits)))
	default:
		return saveNumber, bits
	}
}

func bitsOf(valueType api.ValueType, kind uint32, value uint64) (uint64, error) {
	if kind > saveBigInteger {
		return 0, noSave("has a global of kind %d; allowed are 0 and 1", kind)
	}
	number := math.Float64frombits(value)
	switch {
	case (valueType == api.ValueTypeI64) != (kind == saveBigInteger):
		return 0, noSave("has a global of another type than this module")
	case valueType == api.ValueTypeI32:
		return api.EncodeI32(int32(number)), nil
	case valueType == api.ValueTypeF32:
		return api.EncodeF32(float32(number)), nil
	default:
		return value, nil
	}
}

func noSave(format string, arguments ...any) *Error {
	return noCode(nil, "this is no save of an engine: it %s", fmt.Sprintf(format, arguments...))
}
