/** Downloads and unpacks Electron's binary, as the package's own `install-electron` does, with progress and a speed limit. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { downloadArtifact, type Progress } from '@electron/get'
import { electronPackage } from './electron-binary.ts'

/** A download that receives less than this many bytes within `stallMs` is aborted: it would take over an hour. */
const minimumBytes = 256 * 1024

export interface FetchOptions {
  /** @param total null if the server does not send a length */
  readonly onProgress: (transferred: number, total: number | null) => void
  readonly stallMs: number
}

/** Throws an error whose message is a short reason, such as `getaddrinfo ENOTFOUND github.com`. */
export async function fetchElectron(options: FetchOptions): Promise<void> {
  await download(options)
  // Takes the archive from the cache, unpacks it and writes path.txt.
  const installer = spawn(process.execPath, [join(electronPackage, 'install.js')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [errors, [code]] = await Promise.all([text(installer.stderr), once(installer, 'exit')])
  if (code !== 0) throw new Error(firstLine(errors) || `install-electron ended with exit code ${code}`)
}

/** Fills the cache of `install-electron`, which checks the same checksums and shows no progress. */
async function download({ onProgress, stallMs }: FetchOptions): Promise<void> {
  const abort = new AbortController()
  let received = 0
  let receivedBefore = 0
  const watch = setInterval(() => {
    if (received - receivedBefore < minimumBytes) abort.abort()
    receivedBefore = received
  }, stallMs)
  try {
    await downloadArtifact({
      version: readJson<{ version: string }>('package.json').version,
      artifactName: 'electron',
      platform: process.platform,
      arch: process.arch,
      checksums: readJson<Record<string, string>>('checksums.json'),
      ...(process.env.electron_config_cache && { cacheRoot: process.env.electron_config_cache }),
      downloadOptions: {
        quiet: true,
        signal: abort.signal,
        getProgressCallback: async ({ transferred, total, percent }: Progress) => {
          received = transferred
          // The checksum is computed next, which makes no progress that could be watched.
          if (percent === 1) clearInterval(watch)
          onProgress(transferred, total)
        },
      },
    })
  } catch (error) {
    throw new Error(abort.signal.aborted ? 'no response, or a very slow one' : reasonOf(error))
  } finally {
    clearInterval(watch)
  }
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(join(electronPackage, file), 'utf8'))
}

/** Returns the message of the cause if there is one: `fetch failed` alone does not name the reason. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return firstLine(cause instanceof Error ? cause.message : String(cause))
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? ''
}
