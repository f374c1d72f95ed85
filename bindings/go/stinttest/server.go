package stinttest

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	startLimit = 30 * time.Second
	stopLimit  = 10 * time.Second
	// How long a process that has said something else than where it serves may take to end.
	endLimit = 2 * time.Second
	// What is kept of the words of a server on its standard error.
	maxErrorBytes = 64 * 1024
)

// server is a process `stint serve`. It ends when its standard input closes, so also when this process is killed.
type server struct {
	kubeconfig string
	command    *exec.Cmd
	stdin      io.Closer
	ended      chan struct{}
	stderr     *firstBytes
}

// startServer returns when the server serves. The server makes its kubeconfig, for this user alone, and removes it when
// it ends: also when this process is killed.
func startServer(command, options []string) (*server, error) {
	kubeconfig := filepath.Join(os.TempDir(), "stint-testing-"+rand.Text()+".yaml")
	s := &server{kubeconfig: kubeconfig, ended: make(chan struct{}), stderr: &firstBytes{}}
	words := append(append([]string{}, command...), "serve", "--control",
		"--until-stdin-closes", "--output", "json", "--kubeconfig", s.kubeconfig)
	words = append(words, options...)
	s.command = exec.Command(words[0], words[1:]...)
	s.command.Env = childEnvironment(os.Environ())
	s.command.Stderr = s.stderr
	stdin, err := s.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	s.stdin = stdin
	stdout, err := s.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.command.Start(); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w", words[0], err)
	}
	first := make(chan string, 1)
	go func() {
		lines := bufio.NewReader(stdout)
		line, _ := lines.ReadString('\n')
		first <- line
		_, _ = io.Copy(io.Discard, lines)
		_ = s.command.Wait()
		close(s.ended)
	}()
	var line string
	isLate := false
	select {
	case line = <-first:
	case <-time.After(startLimit):
		isLate = true
	}
	var said struct{ Type string }
	if json.Unmarshal([]byte(line), &said) != nil || said.Type != "serving" {
		outcome := s.failure(isLate)
		return nil, fmt.Errorf("%s %s; it said: %s",
			strings.Join(words, " "), outcome, strings.TrimSpace(line+s.stderr.String()))
	}
	return s, nil
}

// failure says what became of a process that does not serve, and ends it.
func (s *server) failure(isLate bool) string {
	if isLate {
		s.kill()
		return fmt.Sprintf("has not begun to serve within %v", startLimit)
	}
	select {
	case <-s.ended:
		_ = os.Remove(s.kubeconfig)
		return fmt.Sprintf("ended with %v before it served", s.command.ProcessState)
	case <-time.After(endLimit):
		s.kill()
		return "does not say where it serves"
	}
}

// stop ends the server, and returns when it has ended.
func (s *server) stop() {
	_ = s.stdin.Close()
	select {
	case <-s.ended:
	case <-time.After(stopLimit):
		s.kill()
	}
}

// kill ends a server that does not exit when asked, and so has not removed its kubeconfig.
func (s *server) kill() {
	_ = s.command.Process.Kill()
	<-s.ended
	_ = os.Remove(s.kubeconfig)
}

// firstBytes keeps what is written first, and drops the rest.
type firstBytes struct {
	mutex sync.Mutex
	bytes bytes.Buffer
}

func (f *firstBytes) Write(data []byte) (int, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.bytes.Write(data[:min(len(data), maxErrorBytes-f.bytes.Len())])
	return len(data), nil
}

func (f *firstBytes) String() string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.bytes.String()
}
