/** A client of a subscription that reads frame by frame. */
import type { IncomingMessage } from 'node:http'
import { decodeAll } from '@atproto/lex-cbor'
import { WebSocket } from 'ws'

export interface Frame {
  readonly header: { readonly op: number; readonly t?: string }
  // biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every shape
  readonly payload: any
}

export interface Refused {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: as Answer.body
  readonly body: any
}

export interface Listener {
  readonly socket: WebSocket
  /** Resolves with the next frame; rejects when the connection ends first. */
  next(): Promise<Frame>
  /** Resolves with the remaining frames and the close code, once the server has closed the connection. */
  ended(): Promise<{ frames: Frame[]; code: number; reason: string }>
  close(): void
}

export interface ListenOptions {
  readonly headers?: Record<string, string>
  readonly protocols?: string[]
  /** Whether pings are answered. */
  readonly autoPong?: boolean
}

/** Connects. @returns a listener, or the response that refused the upgrade */
export function listen(url: string, options: ListenOptions = {}): Promise<Listener | Refused> {
  const { protocols = [], ...rest } = options
  const socket = new WebSocket(url.replace(/^http/, 'ws'), protocols, rest)
  socket.binaryType = 'nodebuffer'
  const waiting: Frame[] = []
  const news = new EventTarget()
  let end: { code: number; reason: string } | undefined
  const notify = () => news.dispatchEvent(new Event('news'))
  const change = () => new Promise((resolve) => news.addEventListener('news', resolve, { once: true }))
  socket.on('message', (data: Buffer) => {
    const [header, payload] = decodeAll(data)
    waiting.push({ header, payload } as Frame)
    notify()
  })
  socket.on('close', (code, reason) => {
    end = { code, reason: reason.toString() }
    notify()
  })
  const listener: Listener = {
    socket,
    async next() {
      for (;;) {
        const frame = waiting.shift()
        if (frame) return frame
        if (end) throw new Error(`the connection ended: ${end.code} ${end.reason}`)
        await change()
      }
    },
    async ended() {
      while (!end) await change()
      return { frames: waiting.splice(0), ...end }
    },
    close: () => socket.close(),
  }
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('open', () => resolve(listener))
    socket.on('unexpected-response', async (_, res: IncomingMessage) => {
      const text = Buffer.concat(await res.toArray()).toString()
      resolve({ status: res.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) })
    })
  })
}

/** As `listen`; throws when the upgrade is refused. */
export async function listening(url: string, options?: ListenOptions): Promise<Listener> {
  const listener = await listen(url, options)
  if ('socket' in listener) return listener
  throw new Error(`refused: ${listener.status} ${JSON.stringify(listener.body)}`)
}
