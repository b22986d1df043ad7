@file:JvmName("Shop")
package com.example.shop

import java.util.UUID
import kotlin.math.max as greatest
import com.example.core.*

/** Marks what can be priced. */
interface Priced {
    val price: Long
    fun total(quantity: Int): Long
}

// A product, é ü 漢字.
data class Product(val id: UUID, override val price: Long, note: String) : Priced {
    var label: String = "naïve “label”"
        get() = field.trim()
    private val cache by lazy { HashMap<String, Int>() }

    constructor(id: UUID) : this(id, 0L, "")

    init {
        val local = check(price >= 0)
    }

    /**
     * The price of many.
     * Second line.
     */
    override fun total(quantity: Int): Long = greatest(price * quantity, 0L)

    companion object {
        const val LIMIT = 10
        fun empty(): Product = Product(UUID.randomUUID())
    }

    inner class Row<T : Any>(val cell: T)
}

enum class Color(val rgb: Int) {
    RED(0xff0000),
    GREEN(0x00ff00) { override fun dark() = true };

    open fun dark(): Boolean = false
}

object Registry : Store<Product>() {
    val entries = mutableListOf<Product>()
}

sealed class Result {
    data class Ok(val value: String) : Result()
    object Failed : Result()
}

typealias Handler = (Product) -> Unit

const val VERSION = "1.0"
val String.shout: String get() = uppercase()

fun String.slug(): String {
    fun inner(c: Char) = c.lowercaseChar()
    val parts = this.map { inner(it) }
    return parts.joinToString("-")
}

suspend fun <T> List<T>.second(): T? = if (size > 1) this[1] else null

annotation class Audited(val reason: String)
fun interface Visitor { fun visit(p: Product) }
