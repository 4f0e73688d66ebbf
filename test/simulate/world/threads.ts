/**
 * Work of the thread pool and of the system, which ends in an order that differs between runs. What servers are known to begin runs inline
 * (`inline-*.ts`). Logical time stands still during the rest.
 */
import { createHook, type HookCallbacks } from 'node:async_hooks'

/** An object of Node for one piece of work. Jobs of node:crypto have a callback, unless they run at once. */
interface Request {
  readonly ondone?: unknown
}

// biome-ignore lint/suspicious/noExplicitAny: methods of several shapes
type Methods = Record<string, (...args: any[]) => Promise<unknown>>

/** By their async ids. */
const pending = new Map<number, { readonly type: string; readonly request: Request }>()
/** Calls of Web Crypto, whose jobs have no callback. */
let calls = 0
let started = 0
let isCounting = false

/** The types of async resources of files, names and node:crypto. */
const isOfThreads = (type: string) =>
  type !== 'HTTPCLIENTREQUEST' && /^FSREQ|REQWRAP$|REQUEST$|^QUERYWRAP$/.test(type)

/** Without promises, which are no work of threads and of which there are many. */
const hooks: HookCallbacks & { readonly trackPromises: boolean } = {
  init(id, type, _trigger, request: Request) {
    if (!isOfThreads(type)) return
    pending.set(id, { type, request })
    started++
  },
  after: (id) => void pending.delete(id),
  destroy: (id) => void pending.delete(id),
  trackPromises: false,
}

/** Counts work of threads, for the rest of the process. */
export function countThreadWork(): void {
  if (isCounting) return
  isCounting = true
  createHook(hooks).enable()
  const subtle: Methods = Object.getPrototypeOf(crypto.subtle)
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(subtle)))
    if (typeof value === 'function' && name !== 'constructor') count(subtle, name)
}

function count(methods: Methods, name: string): void {
  const original = methods[name] as Methods[string]
  methods[name] = function (...args) {
    started++
    calls++
    const work = original.apply(this, args)
    const end = () => void calls--
    work.then(end, end)
    return work
  }
}

/** How much work of threads has begun since the start of the process. */
export const startedThreadWork = (): number => started

/** Whether work of threads has begun that has not ended. */
export function isThreadWorkPending(): boolean {
  for (const [id, { type, request }] of pending) {
    const isDone = type.endsWith('REQUEST') && request.ondone === undefined
    if (!isDone) return true
    pending.delete(id)
  }
  return calls > 0
}
