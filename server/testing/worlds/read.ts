/** Reads a world from a JSON file. */
import { readFile } from 'node:fs/promises'
import { checkSchema } from './check.ts'
import { setSource, throwProblems } from './errors.ts'
import { parseJson } from './json.ts'
import { planWorld } from './plan.ts'
import { type World, worldSchema } from './schema.ts'

/** @throws WorldError with the line of each error, or the system's error if the file cannot be read */
export async function readWorld(file: string): Promise<World> {
  return parseWorld(await readFile(file, 'utf8'), file)
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
