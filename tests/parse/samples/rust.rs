//! Shapes and how to draw them.
extern crate alloc as heap;
use std::collections::{HashMap, HashSet as Set};
use std::fmt::*;

mod draw;
pub mod util;

/// Said first.
pub const GREETING: &str = "héllo → wörld";
static mut COUNTER: u32 = 0;

/// A point in the plane.
///
/// Cheap to copy.
#[derive(Debug, Clone)]
pub struct Point<T> {
    pub x: T,
    y: T,
}

struct Unit;
struct Meters(f64);

#[repr(C)]
union Bits {
    int: u32,
    float: f32,
}

// What can be drawn.
pub enum Shape {
    Empty,
    Circle(f64),
    /// Has two sides.
    Rect { width: f64, height: f64 },
}

/// Things with an area.
pub trait Area {
    type Unit;
    const SIDES: usize = 0;
    fn area(&self) -> f64;
    fn double(&self) -> f64 {
        self.area() * 2.0
    }
}

impl<T: Default> Point<T> {
    pub const ORIGIN: i32 = 0;

    /// Makes a point.
    #[inline]
    pub fn new(x: T) -> Self {
        const LOCAL: u8 = 1;
        let made = Point { x, y: T::default() };
        println!("größe {}", LOCAL);
        made
    }
}

impl Area for Shape {
    type Unit = Meters;
    fn area(&self) -> f64 {
        fn square(x: f64) -> f64 { x.powi(2) }
        match self {
            Shape::Circle(r) => square(*r),
            _ => util::zero::<f64>(),
        }
    }
}

impl std::fmt::Display for &Unit {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result { write!(f, "→") }
}

/// Builds a map.
#[macro_export]
macro_rules! map {
    () => { HashMap::new() };
}

pub type Pair<T> = (T, T);

pub mod nested {
    pub async fn run() { super::draw::all(&map!()).await }
}

extern "C" {
    fn abs(x: i32) -> i32;
}
