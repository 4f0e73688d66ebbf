/**
 * The user interface: the built renderer, at `/`. A file is read and compressed when it is first requested, then cached by the process.
 *
 * CORS is for methods alone: the interface answers to its own origin only. Hashed files are cached by browsers for a year, all
 * others are revalidated each time.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { contentTypeOf, fileAt, pageHeaders } from './page.ts'
import { redirectToLocalhost } from './page-visit.ts'

/** The build puts the renderer beside the compiled server. */
const built = import.meta.url.endsWith('.ts') ? '../../../dist/renderer/' : '../../../renderer/'
const defaultFolder = new URL(built, import.meta.url)

const headers = { ...pageHeaders(), 'Cross-Origin-Resource-Policy': 'same-origin' }

const notBuilt = `This is a personal data server. Its methods are called at /xrpc/<nsid>.
Its user interface has not been built: npm run build
`

/** Takes 0.7 s for the interface, in which its first visitor waits. The highest quality takes 1.6 s, and saves 2% more. */
const compression = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }

interface UiFile {
  readonly content: Buffer
  readonly compressed: Buffer
  readonly type: string
  readonly etag: string
}

/** Answers a request for a file. @returns false when there is no file at the path */
export type ServeUi = (req: IncomingMessage, res: ServerResponse, path: string) => Promise<boolean>

/** Of the servers of this process: one that is restarted compresses nothing again. At most the files that were built. */
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
    const file = cache.get(name) ?? (await load(new URL(name, folder), name))
    if (!file) return path === '/' ? sendText(res, notBuilt) : false
    cache.set(name, file)
    send(req, res, file, path.startsWith('/assets/'))
    return true
  }
}

async function load(url: URL, name: string): Promise<UiFile | undefined> {
  try {
    const content = await readFile(url)
    const etag = `"${createHash('sha256').update(content).digest('base64url')}"`
    return {
      content,
      compressed: await promisify(brotliCompress)(content, compression),
      type: contentTypeOf(name),
      etag,
    }
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
  const isCompressed = /\bbr\b/.test(String(req.headers['accept-encoding']))
  const body = isCompressed ? file.compressed : file.content
  if (isCompressed) res.setHeader('Content-Encoding', 'br')
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
