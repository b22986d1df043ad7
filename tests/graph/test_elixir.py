"""Elixir: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def inside(project: Project, path: str | None = None) -> set[str]:
    return {edge for edge in project.edges(path) if " -> external:" not in edge}


def test_modules_aliases_and_imports() -> None:
    project = Project({
        "lib/shop/cart.ex": """\
            defmodule Shop.Cart do
              alias Shop.{Item, Price}
              alias Shop.Product, as: P
              alias __MODULE__.Line
              import Shop.Help, only: [round: 1]
              import Shop.More
              require Logger

              @limit 10
              defstruct items: []

              def add(%__MODULE__{} = cart, %Item{} = item) do
                limit = Price.of(item)
                total(cart, limit) |> round() |> extra()
                :timer.of(limit)
                Logger.info(hidden(@limit))
                cart.total
                __MODULE__.total(cart, &total/2)
                Price.of(P.new())
                Shop.Cart.Line.new()
                Line.new()
                Other.Price.of(item)
                limit()
              end

              def total(cart, limit), do: limit

              defmacro gen do
                quote do
                  total(1, 2)
                  Price.of(1)
                end
              end

              defmodule Line do
                def new, do: total(1, 2)
              end
            end
            """,
        "lib/shop/item.ex": "defmodule Shop.Item do\n  defstruct [:id]\n  def total(x), do: x\nend\n",
        "lib/shop/rest.ex": """\
            defmodule Shop.Price do
              def of(item), do: item
            end
            defmodule Shop.Product do
              def new, do: 1
            end
            defmodule Shop.Help do
              def round(x), do: x
              def hidden(x), do: x
            end
            defmodule Shop.More do
              def extra(x), do: x
            end
            """,
        "other/price.ex": "defmodule Price do\n  def of(x), do: x\nend\n",
    })  # fmt: skip
    cart, rest = "lib/shop/cart.ex", "lib/shop/rest.ex"
    assert inside(project, cart) == {
        f"{cart}:2 Item -> lib/shop/item.ex:Shop.Item proven",
        f"{cart}:2 Price -> {rest}:Shop.Price proven",
        f"{cart}:3 Shop.Product -> {rest}:Shop.Product proven",
        f"{cart}:4 Line -> {cart}:Shop.Cart.Line proven",
        f"{cart}:5 Shop.Help -> {rest}:Shop.Help proven",
        f"{cart}:6 Shop.More -> {rest}:Shop.More proven",
        f"{cart}:12 Item -> lib/shop/item.ex:Shop.Item proven",
        f"{cart}:13 Price -> {rest}:Shop.Price proven",
        f"{cart}:13 of -> {rest}:Shop.Price.of proven",
        f"{cart}:14 total -> {cart}:Shop.Cart.total proven",
        f"{cart}:14 round -> {rest}:Shop.Help.round proven",
        f"{cart}:14 extra -> {rest}:Shop.More.extra proven",
        f"{cart}:16 limit -> {cart}:Shop.Cart.limit proven",
        f"{cart}:18 total -> {cart}:Shop.Cart.total proven",
        f"{cart}:19 Price -> {rest}:Shop.Price proven",
        f"{cart}:19 of -> {rest}:Shop.Price.of proven",
        f"{cart}:19 P -> {rest}:Shop.Product proven",
        f"{cart}:19 new -> {rest}:Shop.Product.new proven",
        f"{cart}:20 Shop.Cart.Line -> {cart}:Shop.Cart.Line proven",
        f"{cart}:20 new -> {cart}:Shop.Cart.Line.new proven",
        f"{cart}:21 Line -> {cart}:Shop.Cart.Line proven",
        f"{cart}:21 new -> {cart}:Shop.Cart.Line.new proven",
        f"{cart}:31 Price -> {rest}:Shop.Price proven",
        f"{cart}:31 of -> {rest}:Shop.Price.of proven",
    }
