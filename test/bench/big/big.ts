/**
 * `npm run bench -- big`: a server with 1 GB of data beside the same server with 10 MB. Memory, start and waiting times should not
 * depend on the amount of data. `npm run bench -- big reads --size 100MB` measures one phase with less data.
 */
import { parseArgs } from 'node:util'
import { byteSize } from '../../../server/platform/config/values.ts'
import { folder } from '../folders.ts'
import { timed } from '../latency.ts'
import { table } from '../table.ts'
import { type Figure, isWithin, limitText, type Sides } from './compare.ts'
import { deletion } from './deletion.ts'
import { memory } from './memory.ts'
import { reads } from './reading.ts'
import { seedBig } from './seed.ts'
import { Side } from './side.ts'
import { quit, start } from './start.ts'
import { disk, writes } from './writes.ts'

const smallBytes = 10e6

/** In the order in which they run. All leave the data for the others, but for the last one. */
const phases: ReadonlyMap<string, (sides: Sides) => Promise<Figure[]>> = new Map([
  ['start', start],
  ['memory', memory],
  ['reads', reads],
  ['writes', writes],
  ['quit', quit],
  ['disk', disk],
  ['deletion', deletion],
])

/** @param args names of phases, all without any, and `--size` */
export async function benchBig(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { size: { type: 'string', default: '1GB' } },
  })
  const bytes = byteSize.parse(values.size)
  if (bytes === undefined || bytes < smallBytes)
    throw new Error(`--size ${values.size} is not a size from 10MB`)
  const unknown = positionals.find((name) => !phases.has(name))
  if (unknown !== undefined) {
    throw new Error(`There is no phase ${unknown}: the phases are ${[...phases.keys()].join(', ')}`)
  }
  const sides = { small: await make('10 MB', smallBytes), large: await make(values.size, bytes) }
  const figures: Figure[] = []
  for (const [name, phase] of phases) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    const found: Figure[] = []
    const ms = await timed(async () => {
      found.push(...(await phase(sides)))
    })
    print(`big: ${name}, took ${Math.round(ms / 1000)} s`, sides, found)
    figures.push(...found)
  }
  print(`big: ${values.size} of data beside 10 MB`, sides, figures)
}

async function make(label: string, bytes: number): Promise<Side> {
  const data = await seedBig(await folder(), bytes)
  const { records, people, seconds } = data
  console.log(
    `${label}: ${Math.round(data.bytes / 1e6)} MB with ${records} records, ${people.length + 1} accounts, made in ${Math.round(seconds)} s`,
  )
  let side: Side | undefined
  const ms = await timed(async () => {
    side = await Side.open(label, data)
  })
  console.log(`${label}: first start and sign-in of ${people.length} accounts in ${Math.round(ms / 1000)} s`)
  if (!side) throw new Error('The server did not start')
  return side
}

function print(title: string, { small, large }: Sides, figures: readonly Figure[]): void {
  table(
    title,
    figures.map((figure) => ({
      '': figure.title,
      [small.label]: figure.small,
      [large.label]: figure.large,
      limit: limitText(figure.limit),
      within: isWithin(figure) ? 'yes' : 'no',
    })),
  )
}
