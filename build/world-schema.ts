/** Writes `server/testing/world.schema.json`, which the package exports, from the schema of worlds. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { worldSchema } from '../server/testing/worlds/schema.ts'

const file = join(import.meta.dirname, '../server/testing/world.schema.json')
writeFileSync(file, `${JSON.stringify(worldSchema, null, 2)}\n`)
