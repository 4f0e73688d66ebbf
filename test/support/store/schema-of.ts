import type { Schema } from '../../../server/store/database/migrate.ts'

/** A small schema for tests of the store. @param steps statements of its versions */
export function schemaOf(...steps: readonly string[]): Schema {
  return { sql: steps.join(';'), upgrades: steps.slice(1) }
}
