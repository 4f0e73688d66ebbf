/**
 * The baseline: `node bare-server.ts DIR` answers a GET with headers and a body that it received by message, and a POST after
 * a synced write.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Disk } from './disk.ts'

export interface BareAnswer {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

const answers = new Map<string | undefined, BareAnswer>()
const disk = await Disk.open(process.argv[2] ?? '.')

process.on('message', (answer: BareAnswer) => {
  answers.set(answer.path, answer)
  process.send?.('ready')
})

const server = createServer((req, res) => {
  const { headers, body } = answers.get(req.url) ?? { headers: {}, body: '' }
  const answer = () => res.writeHead(200, headers).end(body)
  if (req.method === 'POST') void disk.append().then(answer)
  else answer()
})

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
})
