/**
 * The outbox: a folder of `.eml` files for the messages that no mail server took. They carry codes, so the folder and
 * its files belong to their owner alone, and nothing here is ever served over HTTP.
 */

import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

/** What the desktop shows of a message. */
export interface OutboxMessage {
  /** Name of the file. */
  readonly id: string
  /** ISO 8601. */
  readonly at: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly purpose: string | undefined
  readonly code: string | undefined
  /** Why the mail server did not take it; undefined where none is configured. */
  readonly failure: string | undefined
}

/** Header fields that only messages in the outbox have. */
export const PURPOSE_HEADER = 'X-PDS-Purpose'
export const CODE_HEADER = 'X-PDS-Code'
export const FAILURE_HEADER = 'X-PDS-Failure'

/** `20261121T094530123Z-0123456789abcdef.eml`: in order of time, and a valid name on every platform. */
const ID = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-[0-9a-f]{16}\.eml$/

/** Ends the name of a message that is deleted but can still be brought back. */
const DELETED = '.deleted'

/** Resolves with the id once the message is on disk. */
export async function writeMessage(dataDir: string, at: Date, content: Buffer | Readable): Promise<string> {
  const folder = outboxFolder(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const id = `${at.toISOString().replace(/[-:.]/g, '')}-${randomBytes(8).toString('hex')}.eml`
  const temporary = join(folder, `${id}.tmp`)
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, join(folder, id))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(folder)
  await syncFolder(dataDir)
  return id
}

/** Newest first. */
export async function listOutbox(dataDir: string): Promise<OutboxMessage[]> {
  const names = await readdir(outboxFolder(dataDir)).catch(emptyWhenMissing([]))
  const messages: OutboxMessage[] = []
  // One after the other: a thousand messages should not take a thousand file handles.
  for (const name of names.sort().reverse()) {
    const message = await readMessage(dataDir, name)
    if (message) messages.push(message)
  }
  return messages
}

/** Undefined when there is no such message. */
export async function readMessage(dataDir: string, id: string): Promise<OutboxMessage | undefined> {
  if (!ID.test(id)) return undefined
  const source = await readFile(join(outboxFolder(dataDir), id)).catch(emptyWhenMissing(undefined))
  if (source === undefined) return undefined
  // Loaded with the first message: most servers never read one.
  const { default: PostalMime } = await import('postal-mime')
  const message = await PostalMime.parse(source)
  const header = (name: string) => message.headers.find(({ key }) => key === name.toLowerCase())?.value
  return {
    id,
    at: id.replace(ID, '$1-$2-$3T$4:$5:$6.$7Z'),
    to: message.to?.[0]?.address ?? '',
    subject: message.subject ?? '',
    text: message.text ?? '',
    purpose: header(PURPOSE_HEADER),
    code: header(CODE_HEADER),
    failure: header(FAILURE_HEADER),
  }
}

/** How many messages there are. */
export async function countOutbox(dataDir: string): Promise<number> {
  const names = await readdir(outboxFolder(dataDir)).catch(emptyWhenMissing([]))
  return names.filter((name) => ID.test(name)).length
}

/** Whether there was such a message. It can be brought back until {@link clearDeleted}. */
export async function deleteMessage(dataDir: string, id: string): Promise<boolean> {
  if (!ID.test(id)) return false
  const file = join(outboxFolder(dataDir), id)
  return rename(file, `${file}${DELETED}`).then(() => true, emptyWhenMissing(false))
}

/** Brings a deleted message back. @returns whether there was one */
export async function restoreMessage(dataDir: string, id: string): Promise<boolean> {
  if (!ID.test(id)) return false
  const file = join(outboxFolder(dataDir), id)
  return rename(`${file}${DELETED}`, file).then(() => true, emptyWhenMissing(false))
}

/** Removes what was deleted for good. */
export async function clearDeleted(dataDir: string): Promise<void> {
  const folder = outboxFolder(dataDir)
  const names = await readdir(folder).catch(emptyWhenMissing([]))
  for (const name of names) if (name.endsWith(DELETED)) await rm(join(folder, name), { force: true })
}

function outboxFolder(dataDir: string): string {
  return join(dataDir, 'outbox')
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; there the file system journals the name by itself.
  if (process.platform === 'win32') return
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function emptyWhenMissing<T>(empty: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return empty
    throw error
  }
}
