/** The least that a Node server does: it answers every path with the headers and the body that it was told to. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface BareAnswer {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

const answers = new Map<string | undefined, BareAnswer>()

process.on('message', (answer: BareAnswer) => {
  answers.set(answer.path, answer)
  process.send?.('learnt')
})

const server = createServer((req, res) => {
  const { headers, body } = answers.get(req.url) ?? { headers: {}, body: '' }
  res.writeHead(200, headers).end(body)
})

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
})
