/** The base of the gate: `node bare-express.ts` answers each path with headers and a body that it received by message. */
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { BareAnswer } from './bare-server.ts'

const answers = new Map<string, BareAnswer>()

process.on('message', (answer: BareAnswer) => {
  answers.set(answer.path, answer)
  process.send?.('ready')
})

const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.use((req, res) => {
  const { headers, body } = answers.get(req.url) ?? { headers: {}, body: '' }
  res.writeHead(200, headers).end(body)
})

const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
})
