defmodule Shop.Cart do
  @moduledoc """
  A cart – “naïve” 漢字.

  More text.
  """
  use GenServer
  alias Shop.{Item, Price}
  alias Shop.Product, as: P
  import Enum, only: [map: 2]
  require Logger

  @limit 10
  @type t :: %__MODULE__{items: list()}
  @callback handle(term) :: :ok

  defstruct items: [], total: 0

  @doc "Adds an item."
  @spec add(t, Item.t()) :: t
  def add(%__MODULE__{} = cart, item) when is_map(item) do
    total = cart.total + Price.of(item)
    %{cart | items: [item | cart.items], total: total}
  end

  def add(cart, _), do: cart

  # Not public.
  defp check(cart), do: Logger.info("#{inspect(cart)} é")

  def empty, do: P.new()

  defmacro twice(expr) do
    quote do
      unquote(expr)
      unquote(expr)
    end
  end

  defguard is_small(x) when x < @limit
  defdelegate size(list), to: Enum, as: :count

  def left <> right, do: map(left, right)

  defmodule Inner do
    def run(x), do: x |> map(&check/1) |> Enum.sum()
  end
end

defprotocol Sized do
  @doc "The size."
  def size(data)
end

defimpl Sized, for: Shop.Cart do
  def size(cart), do: length(cart.items)
end

defmodule Shop.Error do
  defexception message: "oops"
end

defmodule Shop.CartTest do
  use ExUnit.Case

  describe "add/2" do
    test "adds one. Twice", %{cart: cart} do
      assert Shop.Cart.add(cart, %{})
    end
  end
end
