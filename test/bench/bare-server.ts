/**
 * The baseline: `node bare-server.ts DIR` answers a GET with headers and a body that it received by message, and a POST after
 * a synced write. `/file` is a file that a POST writes and syncs, and a GET sends.
 */
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Disk } from './disk.ts'

export interface BareAnswer {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

const answers = new Map<string | undefined, BareAnswer>()
const dir = process.argv[2] ?? '.'
const disk = await Disk.open(dir)
const file = join(dir, 'file')

process.on('message', (answer: BareAnswer) => {
  answers.set(answer.path, answer)
  process.send?.('ready')
})

const server = createServer((req, res) => {
  if (req.url === '/file') return void copyFile(req, res)
  const { headers, body } = answers.get(req.url) ?? { headers: {}, body: '' }
  const answer = () => res.writeHead(200, headers).end(body)
  if (req.method === 'POST') void disk.append().then(answer)
  else answer()
})

async function copyFile(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method === 'POST') {
    await pipeline(req, createWriteStream(file, { flush: true }))
    res.end()
  } else {
    res.writeHead(200, { 'content-length': statSync(file).size })
    await pipeline(createReadStream(file), res)
  }
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
})
