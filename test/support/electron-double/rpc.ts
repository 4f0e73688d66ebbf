/** Calls in both directions over the channel between a process and its child. */

export interface Rpc {
  call(name: string, ...args: unknown[]): Promise<unknown>
  /** Functions that the other side can call. */
  readonly handlers: Map<string, (...args: never[]) => unknown>
}

type Message =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly args: unknown[] }
  | { readonly kind: 'answer'; readonly id: number; readonly value?: unknown; readonly error?: string }

/** The child's `process`, or the parent's `ChildProcess`. */
interface Peer {
  send?(message: Message, callback: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: Message) => void): unknown
  once(event: 'disconnect', listener: () => void): unknown
}

export function createRpc(peer: Peer): Rpc {
  const handlers: Rpc['handlers'] = new Map()
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let last = 0
  const send = (message: Message) => peer.send?.(message, () => {})

  peer.on('message', (message) => {
    if (message.kind === 'call') void answer(message)
    else if (message.error !== undefined) waiting.get(message.id)?.reject(new Error(message.error))
    else waiting.get(message.id)?.resolve(message.value)
    if (message.kind === 'answer') waiting.delete(message.id)
  })
  peer.once('disconnect', () => {
    for (const { reject } of waiting.values()) reject(new Error('the other process has ended'))
    waiting.clear()
  })

  async function answer({ id, name, args }: Extract<Message, { kind: 'call' }>): Promise<void> {
    try {
      const handler = handlers.get(name)
      if (!handler) throw new Error(`no handler for ${name}`)
      send({ kind: 'answer', id, value: await handler(...(args as never[])) })
    } catch (error) {
      send({ kind: 'answer', id, error: error instanceof Error ? error.message : String(error) })
    }
  }

  return {
    handlers,
    call(name, ...args) {
      const id = ++last
      const answered = Promise.withResolvers<unknown>()
      // A caller that does not wait must not cause an unhandled rejection.
      answered.promise.catch(() => {})
      waiting.set(id, answered)
      send({ kind: 'call', id, name, args })
      return answered.promise
    },
  }
}
