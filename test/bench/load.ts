/** `node load.ts JSON`: calls a server, by default for two seconds on ten connections, and prints the statistics as JSON. */
import autocannon from 'autocannon'

export interface Load {
  readonly path: string
  /** Each connection repeats one of these calls, assigned in turn. */
  readonly calls: readonly Call[]
  readonly connections?: number
  /** Number of calls, instead of a time: code that is called more is compiled better. */
  readonly amount?: number
}

export interface Call {
  readonly token?: string
  /** Sent by POST; without one the call is a GET. */
  readonly input?: unknown
}

const {
  url,
  calls,
  connections = 10,
  amount,
}: Omit<Load, 'path'> & { url: string } = JSON.parse(process.argv[2] ?? '')
let connected = 0

const result = await autocannon({
  url,
  connections,
  ...(amount === undefined ? { duration: 2 } : { amount }),
  method: calls[0]?.input === undefined ? 'GET' : 'POST',
  setupClient(client) {
    const { token, input } = calls[connected++ % calls.length] ?? {}
    client.setHeadersAndBody(
      {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(input !== undefined && { 'content-type': 'application/json' }),
      },
      input === undefined ? undefined : JSON.stringify(input),
    )
  },
})
process.stdout.write(JSON.stringify(result))
