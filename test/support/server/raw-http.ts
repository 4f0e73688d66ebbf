/** Raw HTTP, for requests that `fetch` refuses to send. */
import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

export interface RawConnection {
  readonly socket: Socket
  send(text: string | Uint8Array): void
  /** Resolves with the answers so far, once there are this many or the server has closed the connection. */
  answers(count: number): Promise<RawAnswer[]>
  /** Resolves with all answers when the server has closed the connection. */
  closed(): Promise<RawAnswer[]>
}

export async function open(port: number, host = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect({ port, host })
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let received = Buffer.alloc(0)
  const arrived = new EventTarget()
  const notify = () => arrived.dispatchEvent(new Event('news'))
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    notify()
  })
  socket.on('error', () => {})
  socket.on('close', notify)
  const until = async (isEnough: (answers: RawAnswer[]) => boolean) => {
    for (;;) {
      const answers = parse(received)
      if (socket.destroyed || isEnough(answers)) return answers
      await new Promise((resolve) => arrived.addEventListener('news', resolve, { once: true }))
    }
  }
  return {
    socket,
    send: (text) => void socket.write(text),
    answers: (count) => until(({ length }) => length >= count),
    closed: () => until(() => false),
  }
}

/** Sends one request and returns its answer. */
export async function exchange(port: number, text: string | Uint8Array, host?: string): Promise<RawAnswer> {
  const connection = await open(port, host)
  connection.send(text)
  const [answer] = await connection.answers(1)
  connection.socket.destroy()
  if (!answer) throw new Error('the connection was closed without an answer')
  return answer
}

/** Returns complete answers; each has a Content-Length or no body. */
function parse(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = bytes; ; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return answers
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const status = Number(statusLine.split(' ')[1])
    const length = Number(headers['content-length'] ?? 0)
    const body = rest.subarray(end + 4, end + 4 + length)
    if (body.length < length) return answers
    rest = rest.subarray(end + 4 + length)
    const text = body.toString()
    const isJson = headers['content-type']?.startsWith('application/json') && text !== ''
    // An interim answer (100 Continue) precedes the real one.
    if (status >= 200) answers.push({ status, headers, text, body: isJson ? JSON.parse(text) : undefined })
  }
}
