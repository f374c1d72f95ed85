// Command bench makes the calls of a recording, or puts the questions of a file of answers, with the Go binding, and
// says how long they took: `bench ENGINE replay|answers FILE`. Those of other languages do the same. Compares nothing.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/internal/vectors"
)

type entry struct {
	vectors.RecordedCall
	Question, Input string
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: bench ENGINE replay|answers FILE")
	}
	if err := run(context.Background(), os.Args[1], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, enginePath, file string) error {
	wasm, err := os.ReadFile(enginePath)
	if err != nil {
		return err
	}
	entries, err := read(file)
	if err != nil {
		return err
	}
	start := time.Now()
	module, err := stint.Compile(ctx, wasm)
	if err != nil {
		return err
	}
	engine, err := module.NewEngine(ctx)
	if err != nil {
		return err
	}
	started, spent := time.Since(start), time.Duration(0)
	for i := range entries {
		start := time.Now()
		err := play(ctx, engine, &entries[i])
		spent += time.Since(start)
		if err != nil {
			return fmt.Errorf("call %d: %w", i+1, err)
		}
	}
	log.Printf("started in %.3f ms, %.3f ms in engines", started.Seconds()*1000, spent.Seconds()*1000)
	return nil
}

func read(file string) ([]entry, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	entries := make([]entry, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal(line, &entries[i]); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", file, i+1, err)
		}
	}
	return entries, nil
}

func play(ctx context.Context, engine *stint.Engine, e *entry) error {
	if e.Question == "review" {
		_, err := engine.Review(ctx, []byte(e.Input))
		return err
	}
	if e.Call == "poll" {
		_, err := engine.Poll(ctx, e.Now, e.Max)
		return err
	}
	_, err := e.Tell(ctx, engine)
	return err
}
