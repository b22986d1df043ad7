require 'json'
require_relative "lib/shapes"
autoload :Drawing, 'lib/drawing'

$verbose = true
GREETING = "héllo → wörld"

# Things in the plane.
module Plane
  LIMIT = 10

  # A shape with sides.
  #
  # Never flat.
  class Shape < Base::Thing
    include Comparable
    attr_accessor :name, :sides
    attr_reader :parts

    SIDES = %w[left right].freeze

    # Makes a shape.
    def initialize(name)
      @name = name
      local = JSON.parse(name)
      super()
    end

    # Finds one.
    def self.find(id)
      new(id).tap { |shape| shape.load! }
    end

    class << self
      def build(*args) = new(*args)
    end

    def name=(value)
      @name = value.to_s.upcase
    end

    def <=>(other)
      sides <=> other.sides
    end

    def empty?
      parts.nil? || check(parts)
    end

    alias blank? empty?

    private

    def check(items)
      puts "größe #{items.size}"
      yield items if block_given?
    end
  end

  Origin = Struct.new(:x)

  def self.setup
    Shape.find(1)
  end
end

class Plane::Circle < Plane::Shape; end

# Runs it all.
def main
  Plane.setup
  Plane::Shape.new("x")
end

main
