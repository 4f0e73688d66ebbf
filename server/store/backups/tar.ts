/** Tar archives (POSIX ustar) of regular files, written and read as streams. */
import { ReadableStream } from 'node:stream/web'

export interface TarFile {
  readonly name: string
  /** In bytes. */
  readonly size: number
  readonly content: AsyncIterable<Uint8Array>
}

/** Returns an archive, of which at most 8 MiB are in memory. */
export async function* writeTar(files: AsyncIterable<TarFile>, mtime: Date): AsyncGenerator<Uint8Array> {
  const { createTarPacker } = await import('modern-tar')
  const { readable, controller } = createTarPacker()
  const write = async () => {
    for await (const { name, size, content } of files)
      await ReadableStream.from(content).pipeTo(controller.add({ name, size, mtime, mode: 0o600 }))
    controller.finalize()
  }
  write().catch(controller.error)
  yield* readable
}

/**
 * Yields the files of an archive. The content of a file can be read until the next one is requested; the rest is skipped.
 * Leaves out directories and links. Throws when the archive is damaged, cut short or has a trailer.
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const { createTarDecoder } = await import('modern-tar')
  const entries = ReadableStream.from(chunks).pipeThrough(createTarDecoder({ strict: true }))
  for await (const { header, body } of entries) {
    const { name, size, type } = header
    if (type === 'file') yield { name: name.replace(/^\.\//, ''), size, content: body }
    // Cancelling it would leave the decoder waiting.
    for await (const _ of body) {
    }
  }
}
