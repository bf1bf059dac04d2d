package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const modulePath = "millrace.dev/millrace"

// layers are the top-level folders from the innermost outwards: a package imports its own layer and
// the ones before it.
var layers = []string{"d2", "collection", "includes", "demand", "jsbridge", "wasm", "tests"}

// notInModule names what the shipped module must not link. Each costs size, host imports, or both;
// docs/architecture.md has the measurements.
var notInModule = []string{
	"context", "encoding", "fmt", "io/fs", "log", "net", "os", "syscall/js", "time", "text", "html",
	"github.com/google/btree", "github.com/vmihailenco/msgpack",
}

type listedPackage struct {
	ImportPath string
	Imports    []string
	Standard   bool
}

// goList runs `go list` at the repository's root, with the variables in env added.
func goList(t *testing.T, env []string, args ...string) []listedPackage {
	t.Helper()
	command := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Standard"}, args...)...)
	command.Dir = ".."
	command.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	var packages []listedPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		packages = append(packages, p)
	}
}

// layerOf returns the rank of the layer that holds an import path of this module, or -1.
func layerOf(importPath string) int {
	top, _, _ := strings.Cut(strings.TrimPrefix(importPath, modulePath+"/"), "/")
	for rank, layer := range layers {
		if layer == top {
			return rank
		}
	}
	return -1
}

func TestImports_PointInwards(t *testing.T) {
	for _, env := range [][]string{nil, {"GOOS=js", "GOARCH=wasm"}} {
		for _, p := range goList(t, env, "./...") {
			from := layerOf(p.ImportPath)
			if from < 0 {
				t.Errorf("%s lies in none of the layers %v: give it a place among them", p.ImportPath, layers)
				continue
			}
			for _, imported := range p.Imports {
				if !strings.HasPrefix(imported, modulePath+"/") {
					continue
				}
				if to := layerOf(imported); to > from {
					t.Errorf("%s imports %s: %s may not know %s", p.ImportPath, imported, layers[from], layers[to])
				}
			}
		}
	}
}

func TestImports_ShippedModuleStaysSmall(t *testing.T) {
	for _, p := range goList(t, []string{"GOOS=js", "GOARCH=wasm"}, "-deps", "./wasm") {
		for _, banned := range notInModule {
			if p.ImportPath == banned || strings.HasPrefix(p.ImportPath, banned+"/") {
				t.Errorf("the shipped module links %s; see who imports it with: GOOS=js GOARCH=wasm go list -deps ./wasm", p.ImportPath)
			}
		}
		if !p.Standard && !strings.HasPrefix(p.ImportPath, modulePath+"/") {
			t.Errorf("the shipped module links %s: it may use the standard library only", p.ImportPath)
		}
	}
}

// specifier matches the module named by an import, a re-export, or a dynamic import.
var specifier = regexp.MustCompile(
	`(?m)(?:^\s*(?:import|export)\b[^'"\n;]*?\bfrom\s*|^\s*\}\s*from\s*|^\s*import\s*|\bimport\s*\(\s*)['"]([^'"]+)['"]`,
)

func TestImports_TypeScriptSourcesStandAlone(t *testing.T) {
	root := filepath.Join("..", "npm", "src")
	files := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".ts") {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, match := range specifier.FindAllStringSubmatch(string(text), -1) {
			name := match[1]
			if name == "#engine" {
				continue
			}
			target := filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
			if !strings.HasPrefix(name, ".") || !strings.HasPrefix(target, root+string(filepath.Separator)) {
				t.Errorf("%s imports %q: the library imports its own sources and #engine only", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Errorf("no TypeScript sources under %s", root)
	}
}
