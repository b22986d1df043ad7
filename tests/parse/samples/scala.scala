package com.example.shop

import scala.collection.mutable
import scala.util.{Try, Success => Ok}
import cats.syntax.all._
import java.time.*

/** Something with a price. */
trait Priced {
  def price: Long
  val currency: String = "€ 漢字"
}

// A product.
case class Product(id: Int, price: Long) extends Priced with Ordered[Product] {
  private var label: String = ""
  lazy val key: String = s"$id-$label"
  type Row = Map[String, Int]

  def this(id: Int) = this(id, 0L)

  /** Order by price. */
  override def compare(that: Product): Int = {
    val local = price.compareTo(that.price)
    def inner(x: Int): Int = x + 1
    inner(local)
  }
}

object Product {
  val Limit = 10
  def empty: Product = new Product(0, 0L)
  implicit class Ops(p: Product) { def twice = p.price * 2 }
}

package object helpers {
  def slug(text: String): String = text.toLowerCase.replace(" ", "-")
}

enum Color(val rgb: Int) {
  case Red extends Color(0xff0000)
  case Green, Blue
  case Mix(a: Color, b: Color)
}

given intOrd: Ordering[Int] with {
  def compare(x: Int, y: Int): Int = Integer.compare(x, y)
}

extension (s: String)
  def shout: String = s.toUpperCase

type Handler = Product => Unit

@main def run(args: String*): Unit = println(Product.empty.compare(Product(1)))
