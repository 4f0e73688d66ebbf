/**
 * The outbox: a folder of `.eml` files, for messages that were not sent by SMTP. They contain codes, so only the owner of the
 * server can read the files. Over HTTP, `listOutbox` serves them to the owner on the same computer.
 */

import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { type Files, isMissing, nodeFiles, readIfThere, replaceByChunks } from '../../store/files/files.ts'
import { randomBytes } from '../../util/random.ts'

/** A message as the desktop shows it. */
export interface OutboxMessage {
  /** File name. */
  readonly id: string
  /** ISO 8601. */
  readonly at: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly purpose?: string | undefined
  readonly code?: string | undefined
  /** The error of the mail server; undefined if none is configured. */
  readonly failure?: string | undefined
}

/** Header fields that only messages in the outbox have. */
export const PURPOSE_HEADER = 'X-PDS-Purpose'
export const CODE_HEADER = 'X-PDS-Code'
export const FAILURE_HEADER = 'X-PDS-Failure'

/** `20261121T094530123Z-0123456789abcdef.eml`: sorts by time, and is valid on every platform. */
const ID = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-[0-9a-f]{16}\.eml$/

/** Suffix of a deleted message that can still be restored. */
const DELETED = '.deleted'

/** Writes a message. Resolves with its id when it is on disk. */
export async function writeMessage(
  dataDir: string,
  at: Date,
  content: Buffer | Readable,
  files: Files = nodeFiles,
): Promise<string> {
  const folder = outboxFolder(dataDir)
  await files.makeDir(folder)
  const id = `${at.toISOString().replace(/[-:.]/g, '')}-${randomBytes(8).toString('hex')}.eml`
  await replaceByChunks(files, join(folder, id), Buffer.isBuffer(content) ? [content] : content)
  await files.syncDir(dataDir)
  return id
}

/** Lists the newest messages, newest first. */
export async function listOutbox(
  dataDir: string,
  files: Files = nodeFiles,
  limit = Number.POSITIVE_INFINITY,
): Promise<OutboxMessage[]> {
  const messages: OutboxMessage[] = []
  for await (const message of readOutbox(dataDir, files)) {
    messages.push(message)
    if (messages.length === limit) break
  }
  return messages
}

const maxParsed = 1000

/** Parsed messages by path: lists are read again every few seconds, and the content of a file never changes. */
const parsed = new WeakMap<Files, LRUCache<string, OutboxMessage>>()

/** Reads the messages one at a time, newest first: a thousand messages must not need a thousand file handles. */
export async function* readOutbox(dataDir: string, files: Files = nodeFiles): AsyncGenerator<OutboxMessage> {
  const known = parsed.get(files) ?? new LRUCache<string, OutboxMessage>({ max: maxParsed })
  parsed.set(files, known)
  const names = await files.list(outboxFolder(dataDir))
  for (const name of names.sort().reverse()) {
    const path = join(dataDir, name)
    const message = known.get(path) ?? (await readMessage(dataDir, name, files))
    if (!message) continue
    known.set(path, message)
    yield message
  }
}

/** Reads a message; undefined if it does not exist. */
export async function readMessage(
  dataDir: string,
  id: string,
  files: Files = nodeFiles,
): Promise<OutboxMessage | undefined> {
  if (!ID.test(id)) return undefined
  const source = await readIfThere(files, join(outboxFolder(dataDir), id))
  if (source === undefined) return undefined
  // Loaded with the first message: most servers read none.
  const { default: PostalMime } = await import('postal-mime')
  const message = await PostalMime.parse(source)
  const header = (name: string) => message.headers.find(({ key }) => key === name.toLowerCase())?.value
  return {
    id,
    at: id.replace(ID, '$1-$2-$3T$4:$5:$6.$7Z'),
    to: unquoted(message.to?.[0]?.address ?? ''),
    subject: message.subject ?? '',
    text: message.text ?? '',
    purpose: header(PURPOSE_HEADER),
    code: header(CODE_HEADER),
    failure: header(FAILURE_HEADER),
  }
}

/** Returns an address as accounts have it: in a message, `a.@b` is `"a."@b`, because the dot is only valid in quotes (RFC 5322 §3.4.1). */
function unquoted(address: string): string {
  return address.replace(/^"(.*)"@/, '$1@')
}

/** Counts the messages. */
export async function countOutbox(dataDir: string, files: Files = nodeFiles): Promise<number> {
  const names = await files.list(outboxFolder(dataDir))
  return names.filter((name) => ID.test(name)).length
}

/** Deletes a message; it can be restored until {@link clearDeleted}. @returns whether it existed */
export async function deleteMessage(dataDir: string, id: string, files: Files = nodeFiles): Promise<boolean> {
  if (!ID.test(id)) return false
  const file = join(outboxFolder(dataDir), id)
  return renamed(files, file, `${file}${DELETED}`)
}

/** Restores a deleted message. @returns whether it existed */
export async function restoreMessage(
  dataDir: string,
  id: string,
  files: Files = nodeFiles,
): Promise<boolean> {
  if (!ID.test(id)) return false
  const file = join(outboxFolder(dataDir), id)
  return renamed(files, `${file}${DELETED}`, file)
}

/** Deletes a message for good. */
export async function eraseMessage(dataDir: string, id: string, files: Files = nodeFiles): Promise<void> {
  if (ID.test(id)) await files.remove(join(outboxFolder(dataDir), id))
}

/** Removes deleted messages for good. */
export async function clearDeleted(dataDir: string, files: Files = nodeFiles): Promise<void> {
  const folder = outboxFolder(dataDir)
  const names = await files.list(folder)
  for (const name of names) if (name.endsWith(DELETED)) await files.remove(join(folder, name))
}

function outboxFolder(dataDir: string): string {
  return join(dataDir, 'outbox')
}

/** Returns false if there is no such file. */
async function renamed(files: Files, from: string, to: string): Promise<boolean> {
  try {
    await files.rename(from, to)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
