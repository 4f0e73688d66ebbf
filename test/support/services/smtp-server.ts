import { createServer, type Socket } from 'node:net'

/** An SMTP server on loopback (RFC 5321) that stores the messages that it receives. */
export interface SmtpServer {
  readonly url: string
  readonly messages: readonly ReceivedMessage[]
  /** Resolves at the next connection. */
  connected(): Promise<void>
  close(): Promise<void>
}

export interface ReceivedMessage {
  readonly from: string
  readonly to: readonly string[]
  /** Header and text as sent, dots unstuffed. */
  readonly data: string
  /** The user that signed in, if the server requires it. */
  readonly user: string | undefined
}

export interface SmtpServerOptions {
  /** The only user that may send; without it, sign-in is not required. */
  readonly login?: { readonly user: string; readonly password: string }
  /** Replies to commands (also `greeting` and `message`) other than success; null sends no reply. */
  readonly replies?: Readonly<Record<string, string | null>>
}

export async function startSmtpServer(options: SmtpServerOptions = {}): Promise<SmtpServer> {
  const messages: ReceivedMessage[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    converse(socket, options, messages)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('Not listening on a port.')
  const { user, password } = options.login ?? {}
  const login = user && password ? `${encodeURIComponent(user)}:${encodeURIComponent(password)}@` : ''
  return {
    url: `smtp://${login}127.0.0.1:${address.port}`,
    messages,
    connected: () => new Promise((resolve) => server.once('connection', () => resolve())),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function converse(socket: Socket, { login, replies = {} }: SmtpServerOptions, messages: ReceivedMessage[]) {
  let user: string | undefined
  let from = ''
  let to: string[] = []
  let data: string[] | undefined
  let buffered = ''

  const reply = (command: string, usual: string) => {
    const text = replies[command] === undefined ? usual : replies[command]
    if (text !== null) socket.write(`${text}\r\n`)
  }

  const take = (line: string) => {
    if (data) return takeData(data, line)
    const [command = ''] = line.toUpperCase().split(' ')
    switch (command) {
      case 'EHLO':
        return reply(command, login ? '250-localhost\r\n250 AUTH PLAIN' : '250 localhost')
      case 'AUTH': {
        const [, name, password] = Buffer.from(line.slice('AUTH PLAIN '.length), 'base64')
          .toString()
          .split('\0')
        if (name !== login?.user || password !== login?.password) return reply(command, '535 Wrong password')
        user = name
        return reply(command, '235 Welcome')
      }
      case 'MAIL':
        from = line.slice('MAIL FROM:'.length)
        to = []
        return reply(command, login && !user ? '530 Sign in first' : '250 OK')
      case 'RCPT':
        to.push(line.slice('RCPT TO:'.length))
        return reply(command, '250 OK')
      case 'DATA':
        if (replies.DATA === undefined) data = []
        return reply(command, '354 Go on')
      case 'QUIT':
        reply(command, '221 Bye')
        return socket.end()
      default:
        return reply(command, '502 Unknown command')
    }
  }

  const takeData = (lines: string[], line: string) => {
    if (line !== '.') {
      lines.push(line.replace(/^\./, ''))
      return
    }
    data = undefined
    if (replies.message === undefined) messages.push({ from, to, data: lines.join('\r\n'), user })
    reply('message', '250 Kept')
  }

  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    buffered += chunk
    // Only CRLF ends a line, not a bare CR or LF.
    const lines = buffered.split('\r\n')
    buffered = lines.pop() ?? ''
    lines.forEach(take)
  })
  reply('greeting', '220 localhost')
}
