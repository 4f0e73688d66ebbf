/** Reads a world from a JSON file. */
import { readFile } from 'node:fs/promises'
import { checkSchema } from './check.ts'
import { setSource, throwProblems, WorldError } from './errors.ts'
import { parseJson } from './json.ts'
import { planWorld } from './plan.ts'
import { type World, worldSchema } from './schema.ts'

/** @throws WorldError with the line of each error, or if the file cannot be read */
export async function readWorld(file: string): Promise<World> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    const reason = `The world cannot be read: give "sample", "friends" or the path of a file. ${error.message}`
    throw new WorldError([{ path: [], reason }], undefined, { cause: error })
  })
  return parseWorld(text, file)
}

/**
 * @param file for errors; pictures have paths relative to it
 * @throws WorldError with the line of each error
 */
export function parseWorld(text: string, file: string): World {
  const { value, lineOf } = parseJson(text, file)
  const holder = typeof value === 'object' && value !== null ? value : {}
  setSource(holder, { file, lineOf })
  throwProblems(holder, checkSchema(worldSchema, value))
  const world = value as World
  planWorld(world)
  return world
}
