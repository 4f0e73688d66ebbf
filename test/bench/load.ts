/** `node load.ts JSON`: calls a server on ten connections for two seconds and prints the statistics as JSON. */
import autocannon from 'autocannon'

export interface Load {
  readonly path: string
  /** Each connection repeats one of these calls, assigned in turn. */
  readonly calls: readonly Call[]
}

export interface Call {
  readonly token?: string
  /** Sent by POST; without one the call is a GET. */
  readonly input?: unknown
}

const { url, calls }: { url: string; calls: Call[] } = JSON.parse(process.argv[2] ?? '')
let connected = 0

const result = await autocannon({
  url,
  connections: 10,
  duration: 2,
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
