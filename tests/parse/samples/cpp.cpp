#include <vector>
#include "shapes.hpp"

#define LIMIT 10

namespace geo::plane {

/// Anything with an area.
class Shape {
public:
    Shape();
    explicit Shape(std::string name) : name_(std::move(name)) {}
    virtual ~Shape() = default;
    virtual double area() const = 0;
    Shape &operator=(const Shape &other);
    operator bool() const;
    std::string *label();
    static int count;

    enum class Side { Left, Right = 2 };

    struct Part {
        int x, y;
    };

private:
    std::string name_ = "größe → ünï";
    std::vector<Part> parts_;
};

/// A stack of things.
///
/// Grows.
template <typename T, int N = 4>
class Stack : public Base<T> {
public:
    void push(const T &item) {
        auto copy = item;
        items_.push_back(copy);
    }
    template <class U> U as() const;

private:
    T items_[N];
};

using Shapes = std::vector<Shape *>;

// Larger of two.
template <typename T>
T larger(T a, T b) { return a < b ? b : a; }

extern const int total;
int first = 1, second;
void scale(Shape &shape, double by);

}  // namespace geo::plane

using geo::plane::Shape;

// How many there are.
int geo::plane::Shape::count = 0;

// Makes a shape.
Shape::Shape() { count++; }

Shape::~Shape() { std::vector<int> local(3); }

double Shape::area() const {
    auto twice = [](int x) { return x * 2; };
    return geo::plane::larger<double>(twice(1), helper(name_));
}

Shape &Shape::operator=(const Shape &other) { return *this; }

Shape::operator bool() const { return true; }

template <typename T, int N>
template <class U>
U geo::plane::Stack<T, N>::as() const { return U(new Shape()); }

bool operator==(const Shape &a, const Shape &b) { return same(a, b); }

namespace {
struct Hidden final : Shape { int value; };
}

template <typename T> concept Drawable = requires(T t) { t.draw(); };

extern "C" {
int c_entry(void);
}
