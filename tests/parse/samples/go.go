// Package shapes draws.
package shapes

import "fmt"

import (
	"net/http"
	str "strings"

	_ "embed"
	. "math"
)

// Greeting is said first.
const Greeting = "héllo → wörld"

const (
	// Left is one side.
	Left Side = iota
	Right
)

const Low, High = 1, 10

var cache map[string]*Shape

var (
	first, second int
	handler       = func(w http.ResponseWriter) {}
)

// Side is where a thing is.
type Side int

type ID = string

// Shape has a name
// and sides.
type Shape struct {
	http.Handler
	Name string `json:"größe"`
	x, y float64
}

// Drawer can draw.
type Drawer interface {
	fmt.Stringer
	Draw(w http.ResponseWriter) error
}

type (
	// Stack is generic.
	Stack[T any] struct{ items []T }
	Visit        func(s *Shape) bool
)

// New makes a shape.
func New(name string) *Shape {
	local := 1
	var other, more = 2, 3
	const inside = 4
	go func() { fmt.Println(local, other, more, inside) }()
	return &Shape{Name: str.ToUpper(name)}
}

// Draw draws it.
func (s *Shape) Draw(w http.ResponseWriter) error {
	defer s.done()
	return fmt.Errorf("→ %v", Abs(s.x))
}

func (Side) String() string { return Greeting }

// Push adds to the stack.
func (s *Stack[T]) Push(item T) { s.items = append(s.items, item) }

func Map[T, U any](in []T, f func(T) U) []U {
	return Map[T, U](in, f)
}
