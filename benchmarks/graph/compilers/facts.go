// Prints what Go's own checker takes each name of the given folders for: tab-separated lines, as compiler_truth.py
// reads them. Packages that are not there cost only the names that need them.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

type checker struct {
	root, module string
	fset         *token.FileSet
	std          types.Importer
	packages     map[string]*types.Package // by import path
	out          *bufio.Writer
	owners       map[types.Object]string // of fields and methods of interfaces, the type that has them
	uses         []func()                // printed once all that is defined is known
}

func main() {
	build.Default.CgoEnabled = false
	root, _ := filepath.Abs(os.Args[1])
	fset := token.NewFileSet()
	c := &checker{root: root, module: moduleOf(root), fset: fset, std: importer.ForCompiler(fset, "source", nil),
		packages: map[string]*types.Package{}, out: bufio.NewWriter(os.Stdout), owners: map[types.Object]string{}}
	for _, folder := range os.Args[2:] {
		filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				if strings.HasPrefix(entry.Name(), "_") || entry.Name() == "testdata" || entry.Name() == "vendor" {
					return fs.SkipDir
				}
				relative, _ := filepath.Rel(root, path)
				c.check(strings.TrimSuffix(c.module+"/"+filepath.ToSlash(relative), "/."))
			}
			return nil
		})
	}
	for _, print := range c.uses {
		print()
	}
	c.out.Flush()
}

func moduleOf(root string) string {
	content, _ := os.ReadFile(filepath.Join(root, "go.mod"))
	for _, line := range strings.Split(string(content), "\n") {
		if strings.HasPrefix(line, "module ") {
			return strings.TrimSpace(strings.TrimPrefix(line, "module "))
		}
	}
	return "main"
}

// Import is what types.Importer asks for.
func (c *checker) Import(path string) (*types.Package, error) {
	if path == c.module || strings.HasPrefix(path, c.module+"/") {
		if found := c.check(path); found != nil {
			return found, nil
		}
	}
	if !strings.Contains(strings.Split(path, "/")[0], ".") {
		return c.std.Import(path)
	}
	return nil, fmt.Errorf("%s is not here", path)
}

func (c *checker) check(path string) *types.Package {
	if found, known := c.packages[path]; known {
		return found
	}
	c.packages[path] = nil
	directory := filepath.Join(c.root, strings.TrimPrefix(strings.TrimPrefix(path, c.module), "/"))
	listed, err := build.Default.ImportDir(directory, 0)
	if err != nil {
		return nil
	}
	names := append([]string{}, listed.GoFiles...)
	sort.Strings(names)
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(c.fset, filepath.Join(directory, name), nil, 0)
		if err == nil {
			files = append(files, file)
		}
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	settings := types.Config{Importer: c, Error: func(error) {}, FakeImportC: true}
	found, _ := settings.Check(path, c.fset, files, info)
	c.packages[path] = found
	for _, file := range files {
		c.define(file, info)
	}
	for _, file := range files {
		c.mean(file, info)
	}
	return found
}

// define prints what an edge can go to.
func (c *checker) define(file *ast.File, info *types.Info) {
	for _, declared := range file.Decls {
		switch declaration := declared.(type) {
		case *ast.FuncDecl:
			name, kind := declaration.Name.Name, "function"
			if declaration.Recv != nil && len(declaration.Recv.List) == 1 {
				name, kind = typeName(declaration.Recv.List[0].Type)+"."+name, "method"
				c.owners[info.Defs[declaration.Name]] = name
			}
			c.definition(declaration.Name, declaration, name, kind)
		case *ast.GenDecl:
			for _, item := range declaration.Specs {
				switch spec := item.(type) {
				case *ast.TypeSpec:
					c.definition(spec.Name, spec, spec.Name.Name, "class")
					c.members(spec.Type, spec.Name.Name, info)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						c.definition(name, spec, name.Name, "variable")
					}
				}
			}
		}
	}
}

func (c *checker) members(declared ast.Expr, owner string, info *types.Info) {
	var fields *ast.FieldList
	kind := "field"
	switch kindOf := declared.(type) {
	case *ast.StructType:
		fields = kindOf.Fields
	case *ast.InterfaceType:
		fields, kind = kindOf.Methods, "method"
	default:
		return
	}
	for _, field := range fields.List {
		for _, name := range field.Names {
			c.owners[info.Defs[name]] = owner + "." + name.Name
			c.definition(name, field, owner+"."+name.Name, kind)
		}
	}
}

func typeName(expression ast.Expr) string {
	switch found := expression.(type) {
	case *ast.StarExpr:
		return typeName(found.X)
	case *ast.IndexExpr:
		return typeName(found.X)
	case *ast.IndexListExpr:
		return typeName(found.X)
	case *ast.ParenExpr:
		return typeName(found.X)
	case *ast.Ident:
		return found.Name
	}
	return ""
}

func (c *checker) definition(name *ast.Ident, node ast.Node, qualified, kind string) {
	if name.Name != "_" {
		end := c.fset.Position(node.End()).Line
		c.print("definition", c.place(name.Pos()), fmt.Sprint(end), qualified, kind)
	}
}

// mean prints what each name of a file means.
func (c *checker) mean(file *ast.File, info *types.Info) {
	called, keys := map[*ast.Ident]bool{}, map[*ast.Ident]bool{}
	ast.Inspect(file, func(node ast.Node) bool {
		switch found := node.(type) {
		case *ast.CallExpr:
			if name := lastName(found.Fun); name != nil {
				called[name] = true
			}
		case *ast.CompositeLit:
			for _, item := range found.Elts {
				if pair, is := item.(*ast.KeyValueExpr); is {
					if name, is := pair.Key.(*ast.Ident); is {
						keys[name] = true
					}
				}
			}
		}
		return true
	})
	ast.Inspect(file, func(node ast.Node) bool {
		name, is := node.(*ast.Ident)
		if !is {
			return true
		}
		object := info.Uses[name]
		if object == nil {
			return true
		}
		if _, isPackage := object.(*types.PkgName); isPackage {
			return true
		}
		role := "ref"
		if called[name] {
			role = "call"
		} else if keys[name] {
			role = "key"
		}
		place := c.place(name.Pos())
		c.uses = append(c.uses, func() { c.use(place, name.Name, role, object) })
		return true
	})
}

func lastName(expression ast.Expr) *ast.Ident {
	switch found := expression.(type) {
	case *ast.Ident:
		return found
	case *ast.SelectorExpr:
		return found.Sel
	case *ast.ParenExpr:
		return lastName(found.X)
	case *ast.IndexExpr:
		return lastName(found.X)
	}
	return nil
}

func (c *checker) use(place, name, role string, object types.Object) {
	object = origin(object)
	isOurs := object.Pkg() != nil && (object.Pkg().Path() == c.module || strings.HasPrefix(object.Pkg().Path(), c.module+"/"))
	qualified, isMember := c.owners[object]
	isTop := isOurs && object.Parent() == object.Pkg().Scope()
	switch {
	case object.Pkg() != nil && !isOurs:
		c.print("library", place, name, role)
	case object.Pkg() == nil:
		c.print("library", place, name, role)
	case isTop || isMember:
		if !isMember {
			qualified = object.Name()
		}
		target := c.fset.Position(object.Pos())
		relative, _ := filepath.Rel(c.root, target.Filename)
		c.print("fact", place, name, role, filepath.ToSlash(relative), qualified, "")
	default:
		if variable, is := object.(*types.Var); is && variable.IsField() {
			return // of a type without a name
		}
		if _, is := object.(*types.Func); is {
			return
		}
		c.print("local", place, name, role)
	}
}

// origin is what an instance of a generic type or function was made of.
func origin(object types.Object) types.Object {
	switch found := object.(type) {
	case *types.Func:
		return found.Origin()
	case *types.Var:
		return found.Origin()
	}
	return object
}

func (c *checker) place(position token.Pos) string {
	found := c.fset.Position(position)
	relative, _ := filepath.Rel(c.root, found.Filename)
	return fmt.Sprintf("%s\t%d\t%d", filepath.ToSlash(relative), found.Line, found.Column)
}

func (c *checker) print(fields ...string) {
	fmt.Fprintln(c.out, strings.Join(fields, "\t"))
}
