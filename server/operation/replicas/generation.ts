/** The highest generation at a place. A timeline that begins with a restore, or by the decision of the owner, must have a higher one. */
import { type Content, generationOf, type Listed, readContent } from './catalog.ts'

/** Listings at most, of a place that changes meanwhile. */
const maxListings = 5

/**
 * Lists a place until two listings in a row agree: one alone may be short. Returns the highest generation that any of them shows, also in
 * the names of bases and segments, whose timeline may be lost; 0 if there is none. @throws PlaceProblem
 */
export async function newestGeneration(target: Listed): Promise<number> {
  const generations: number[] = [0]
  let last = ''
  for (let left = maxListings; left > 0; left--) {
    const content = await readContent(target)
    generations.push(highestIn(content))
    const listing = JSON.stringify(content)
    if (listing === last) break
    last = listing
  }
  return Math.max(...generations)
}

function highestIn({ timelines, bases, segments, unfinished, cut }: Content): number {
  const objects = [...bases, ...segments, ...unfinished, ...cut]
  const names = new Set([...timelines.map(({ name }) => name), ...objects.map(({ timeline }) => timeline)])
  return Math.max(0, ...[...names].map(generationOf))
}
