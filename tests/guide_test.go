package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	goSnippet   = regexp.MustCompile("(?s)```go\n(.*?)```")
	textSnippet = regexp.MustCompile("(?s)```text\n(.*?)```")
)

// TestGuide_SnippetsAreAProgramThatPrintsWhatItSays puts the snippets of docs/go.md
// together, runs them, and compares the output with the text blocks.
func TestGuide_SnippetsAreAProgramThatPrintsWhatItSays(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "go.md"))
	must(t, err)
	var types, body, want strings.Builder
	for _, m := range goSnippet.FindAllStringSubmatch(string(page), -1) {
		if strings.HasPrefix(m[1], "type ") {
			types.WriteString(m[1])
		} else {
			body.WriteString(m[1])
		}
	}
	for _, m := range textSnippet.FindAllStringSubmatch(string(page), -1) {
		want.WriteString(m[1])
	}
	program := `package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"millrace.dev/millrace/jsbridge/shell"
)

` + types.String() + `
func main() {
	if err := run(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func run() error {
` + body.String() + `
	return nil
}
`
	file := filepath.Join(t.TempDir(), "main.go")
	must(t, os.WriteFile(file, []byte(program), 0o600))
	command := exec.Command("go", "run", file)
	command.Dir = ".."
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if string(out) != want.String() {
		t.Errorf("the guide's program prints\n%s\nand not\n%s", out, want.String())
	}
}
