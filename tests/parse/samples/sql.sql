-- The schema: “naïve” 漢字.
CREATE SCHEMA shop;

/* Products for sale. */
CREATE TABLE IF NOT EXISTS shop.products (
  id INTEGER PRIMARY KEY,
  label TEXT NOT NULL DEFAULT 'é',
  price NUMERIC(10, 2) CHECK (price > 0),
  owner_id INT REFERENCES owners (id)
);

CREATE TABLE "odd name" (id INT);

CREATE UNIQUE INDEX products_label ON shop.products (label);

-- Cheap ones.
CREATE OR REPLACE VIEW cheap AS
SELECT p.id, upper(p.label) AS name
FROM shop.products p
JOIN owners o ON o.id = p.owner_id
WHERE p.price < 10;

CREATE MATERIALIZED VIEW totals AS SELECT count(*) FROM cheap;

CREATE TYPE mood AS ENUM ('sad', 'ok');

CREATE FUNCTION add_tax(amount NUMERIC) RETURNS NUMERIC AS $$
BEGIN
  RETURN amount * 1.2;
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER products_touch BEFORE UPDATE ON shop.products
FOR EACH ROW EXECUTE FUNCTION touch();

CREATE SEQUENCE order_ids;

ALTER TABLE shop.products ADD COLUMN note TEXT;

INSERT INTO cheap (id) VALUES (1);

WITH recent AS (SELECT id FROM totals)
UPDATE owners SET label = coalesce(label, 'x') WHERE id IN (SELECT id FROM recent);
