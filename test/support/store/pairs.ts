import { schemaOf } from './schema-of.ts'

/** Two tables of which every transaction writes both. */
export const pairs = schemaOf(`
  CREATE TABLE one (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
  CREATE TABLE two (id INTEGER PRIMARY KEY) STRICT`)
