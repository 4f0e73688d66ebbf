/** Compresses with Zstandard in this thread: the thread pool would end its work in an order that differs between runs. */
import { ZstdCompress, ZstdDecompress } from 'node:zlib'

/** What a stream of node:zlib calls of its native part. */
interface Handle {
  init(...args: unknown[]): unknown
  write(...args: unknown[]): void
  writeSync(...args: unknown[]): void
}

let isInline = false

/** Replaces the calls that begin work of threads, for the rest of the process. */
export function compressInline(): void {
  if (isInline) return
  isInline = true
  for (const Stream of [ZstdCompress, ZstdDecompress]) {
    const stream = new Stream()
    replace(Object.getPrototypeOf(Reflect.get(stream, '_handle')))
    stream.destroy()
  }
}

function replace(handles: Handle): void {
  const { init } = handles
  const callbacks = new WeakMap<Handle, () => void>()
  handles.init = function (...args) {
    const callback = args.find((arg) => typeof arg === 'function')
    if (callback) callbacks.set(this, callback as () => void)
    return init.apply(this, args)
  }
  handles.write = function (...args) {
    // An error is reported by `onerror`; the callback then sees that the stream was destroyed.
    this.writeSync(...args)
    queueMicrotask(() => callbacks.get(this)?.call(this))
  }
}
