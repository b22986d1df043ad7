-- What is packed is packed with LZ4.

UPDATE blob SET bytes = repacked(bytes);
UPDATE facts SET links = repacked(links), uses = repacked(uses);
