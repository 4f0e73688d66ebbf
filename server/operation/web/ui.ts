/**
 * The user interface: the built renderer, at `/`. The build has compressed its files. Each is read when it is first requested, then cached
 * by the process.
 *
 * CORS is for methods alone: the interface answers to its own origin only. Hashed files are cached by browsers for a year, all
 * others are revalidated each time.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { acceptOf } from '../../platform/xrpc/send.ts'
import { contentTypeOf, fileAt, pageHeaders } from './page.ts'
import { redirectToLocalhost } from './page-visit.ts'

/** The build puts the renderer beside the compiled server. */
const built = import.meta.url.endsWith('.ts') ? '../../../dist/renderer/' : '../../../renderer/'
const defaultFolder = new URL(built, import.meta.url)

const headers = { ...pageHeaders(), 'Cross-Origin-Resource-Policy': 'same-origin' }

const notBuilt = `This is a personal data server. Its methods are called at /xrpc/<nsid>.
Its user interface has not been built: npm run build
`

/** A content coding, and the ending of the files that the build has written in it. */
interface Coding {
  readonly name?: string
  readonly ending: string
}

/** The smallest first. */
const codings = [
  { name: 'br', ending: '.br', accepts: acceptOf('br') },
  { name: 'gzip', ending: '.gz', accepts: acceptOf('gzip') },
]
const uncompressed: Coding = { ending: '' }

interface UiFile {
  readonly body: Buffer
  readonly coding: Coding
  readonly type: string
  readonly etag: string
}

/** Answers a request for a file. @returns false when there is no file at the path */
export type ServeUi = (req: IncomingMessage, res: ServerResponse, path: string) => Promise<boolean>

/** Of the servers of this process: at most the files that were built. */
const builtFiles = new Map<string, UiFile>()

/** @param folder the built renderer */
export function createUi(folder: URL = defaultFolder): ServeUi {
  /** Missing files are not cached. */
  const cache = folder === defaultFolder ? builtFiles : new Map<string, UiFile>()
  return async (req, res, path) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return false
    const name = fileAt(path)
    if (name === undefined) return false
    if (name === 'index.html' && redirectToLocalhost(req, res)) return true
    const accepted = codings.filter(({ accepts }) => accepts.test(String(req.headers['accept-encoding'])))
    for (const coding of [...accepted, uncompressed]) {
      const key = `${name}${coding.ending}`
      const file = cache.get(key) ?? (await load(new URL(key, folder), name, coding))
      if (!file) continue
      cache.set(key, file)
      send(req, res, file, path.startsWith('/assets/'))
      return true
    }
    return path === '/' ? sendText(res, notBuilt) : false
  }
}

async function load(url: URL, name: string, coding: Coding): Promise<UiFile | undefined> {
  try {
    const body = await readFile(url)
    const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
    return { body, coding, type: contentTypeOf(name), etag }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EISDIR') return undefined
    throw error
  }
}

function send(req: IncomingMessage, res: ServerResponse, file: UiFile, isHashed: boolean): void {
  protect(res)
  res.setHeader('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
  res.setHeader('ETag', file.etag)
  res.setHeader('Vary', 'Accept-Encoding')
  if (req.headers['if-none-match'] === file.etag) {
    res.writeHead(304).end()
    return
  }
  const { body, coding } = file
  if (coding.name !== undefined) res.setHeader('Content-Encoding', coding.name)
  res.setHeader('Content-Type', file.type)
  res.setHeader('Content-Length', body.length)
  res.end(req.method === 'HEAD' ? undefined : body)
}

function sendText(res: ServerResponse, text: string): true {
  protect(res)
  res.setHeader('Content-Type', 'text/plain; charset=utf-8')
  res.end(text)
  return true
}

function protect(res: ServerResponse): void {
  res.removeHeader('Access-Control-Allow-Origin')
  res.removeHeader('Access-Control-Expose-Headers')
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
}
