/**
 * Sends mutations of small files to a server, and files that name much: `node test/fuzz/bytes.ts [FILES] [SEED]`. Prints what the server
 * did wrong, the peak of its memory and the time of its health checks. Fails if it took too much memory or ended.
 */
import { makeBombs } from './bytes/bombs.ts'
import { mutate } from './bytes/mutate.ts'
import { createRandom } from './bytes/random.ts'
import { formats } from './bytes/samples.ts'
import { startTarget } from './bytes/target.ts'

const [files = 1000, seed = 35] = process.argv.slice(2).map(Number)
const maxBytes = 300 * 2 ** 20
const atOnce = 10
const random = createRandom(seed)
const target = await startTarget()
const problems: string[] = []
const started = performance.now()
const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20)
const report = (sent: number) => {
  const { idle = 0, peak = 0 } = target.memory() ?? {}
  const health = target.health()
  const share = (part: number) =>
    Math.round(health[Math.min(health.length - 1, Math.floor(health.length * part))] ?? 0)
  process.stdout.write(
    `${sent} files, seed ${seed}, ${Math.round((performance.now() - started) / 1000)} s: ${problems.length} problems, memory ${megabytes(idle)} MB, ` +
      `peak +${megabytes(peak - idle)} MB; health of ${health.length} checks: median ${share(0.5)}, 99 % ${share(0.99)}, 99.9 % ${share(0.999)}, slowest ${share(1)} ms\n`,
  )
}
const send = async (name: string, ...file: Parameters<typeof target.send>) => {
  const before = target.memory()?.peak ?? 0
  const problem = await target.send(...file)
  if (problem !== undefined) problems.push(`${name}: ${problem}`)
  if (problem !== undefined) process.stdout.write(`${name}: ${problem}\n`)
  const { idle = 0, peak = 0 } = target.memory() ?? {}
  if (peak > before && peak - idle > maxBytes / 2)
    process.stdout.write(`${name}: peak +${megabytes(peak - idle)} MB\n`)
}
const bombs = makeBombs(target.samples)
target.start()
for (const { name, format, content } of bombs) await send(`${format}, ${name}`, format, content)
report(0)
for (let file = 0; file < files; file += atOnce) {
  const batch = Array.from({ length: Math.min(atOnce, files - file) }, (_, i) => {
    const format = random.pick(formats)
    const content = mutate(format, random.pick(target.samples[format]), random)
    return send(`file ${file + i}, ${format}`, format, content)
  })
  await Promise.all(batch)
  if (file % 1000 === 0) report(file + batch.length)
}
report(files)
const { idle, peak } = target.memory() ?? { idle: 0, peak: 0 }
await target.close()
process.exitCode = problems.length > 0 || peak - idle > maxBytes ? 1 : 0
