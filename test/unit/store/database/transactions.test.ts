import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { Database } from '../../../../server/store/database.ts'
import type { Files } from '../../../../server/store/files/files.ts'
import { StoreUnavailable } from '../../../../server/store/files/store-errors.ts'
import { readJournal } from '../../../../server/store/journal/journal.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'
import { Gate } from '../../../support/store/gate.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

const directory = '/data'
const journal = join(directory, 'pds.000000000001.journal')
const tables = `
  CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, data BLOB) STRICT;
  CREATE TABLE word (note INTEGER NOT NULL REFERENCES note ON DELETE CASCADE, word TEXT) STRICT`
const schema = schemaOf(tables)

let disk: FaultyDisk
beforeEach(() => {
  disk = new FaultyDisk()
})

function open(files: Files = disk.files): Promise<Database> {
  return Database.open({ directory, schema, now: () => new Date(0), files })
}

const insert = (text: string) => (tx: { run(sql: string, params: string[]): number }) =>
  tx.run('INSERT INTO note (text) VALUES (?)', [text])

const texts = (db: Database) =>
  db.all<{ text: string }>('SELECT text FROM note ORDER BY id').map((row) => row.text)

/** How many transactions each frame of the journal holds. */
const frames = () => readJournal(disk.content(journal), 1, true).frames.map(({ count }) => count)

describe('values', () => {
  test.each([
    ['text with characters special to JSON and C', '"\\\n\0\u2028é😀'],
    ['an empty text', ''],
    ['bytes', Uint8Array.of(0, 255, 10)],
    ['no bytes', new Uint8Array()],
    ['a large integer', 2 ** 53 - 1],
    ['a negative integer', -(2 ** 31) - 1],
    ['a fraction', 0.1],
    ['a very small number', 5e-324],
    ['null', null],
  ])('%s is read back unchanged, also after a crash', async (_, value) => {
    const db = await open()
    await db.transact((tx) => tx.run('CREATE TABLE any (value ANY) STRICT'))
    await db.transact((tx) => tx.run('INSERT INTO any VALUES (?)', [value]))
    expect(db.get('SELECT value FROM any')).toEqual({ value })
    disk.kill()
    await db.close().catch(() => {})
    disk.restart()
    const again = await open()
    expect(again.get('SELECT value FROM any')).toEqual({ value })
    await again.close()
  })

  test('a lone surrogate becomes the replacement character', async () => {
    const db = await open()
    await db.transact(insert('a\ud800'))
    expect(texts(db)).toEqual(['a\ufffd'])
    expect(db.get('SELECT id FROM note WHERE text = ?', ['a\ud800'])).toEqual({ id: 1 })
    await db.close()
  })

  test.each([[Number.NaN], [Number.POSITIVE_INFINITY]])('%s is refused', async (value) => {
    const db = await open()
    await expect(
      db.transact((tx) => tx.run('INSERT INTO note (id, text) VALUES (?, ?)', [value, 'x'])),
    ).rejects.toThrow(TypeError)
    await db.close()
  })
})

describe('a transaction', () => {
  test('resolves with the result of its callback, and its rows are visible at once', async () => {
    const db = await open()
    const done = db.transact((tx) => {
      expect(insert('a')(tx)).toBe(1)
      return tx.get<{ id: number }>('SELECT id FROM note WHERE text = ?', ['a'])?.id
    })
    expect(texts(db)).toEqual(['a'])
    expect(await done).toBe(1)
    await db.close()
  })

  test('whose callback throws changes nothing, rethrows the error and does not affect others', async () => {
    const db = await open()
    const failure = new Error('changed my mind')
    const results = await Promise.allSettled([
      db.transact(insert('a')),
      db.transact((tx) => {
        insert('b')(tx)
        throw failure
      }),
      db.transact(insert('c')),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(results[1]).toMatchObject({ reason: failure })
    expect(texts(db)).toEqual(['a', 'c'])
    expect(frames()).toEqual([2])
    await db.close()
  })

  test('may catch the error of a statement and continue', async () => {
    const db = await open()
    await db.transact((tx) => {
      insert('a')(tx)
      expect(() => insert('a')(tx)).toThrow('UNIQUE constraint failed: note.text')
      insert('b')(tx)
    })
    disk.kill()
    await db.close().catch(() => {})
    disk.restart()
    const again = await open()
    expect(texts(again)).toEqual(['a', 'b'])
    await again.close()
  })

  test('that violates a deferred foreign key is rolled back at its end', async () => {
    const db = await open()
    await db.transact((tx) =>
      tx.run('CREATE TABLE later (note INTEGER REFERENCES note DEFERRABLE INITIALLY DEFERRED) STRICT'),
    )
    await expect(db.transact((tx) => tx.run('INSERT INTO later VALUES (9)'))).rejects.toThrow('FOREIGN KEY')
    expect(db.get('SELECT count(*) AS n FROM later')).toEqual({ n: 0 })
    await db.transact(insert('still works'))
    await db.close()
  })

  test('that changes nothing writes nothing', async () => {
    const db = await open()
    await db.transact((tx) => tx.all('SELECT * FROM note'))
    await db.transact((tx) => tx.run('DELETE FROM note WHERE id = ?', [5]))
    await db.transact((tx) => tx.run('UPDATE note SET text = ?', ['x']))
    expect(frames()).toEqual([])
    await db.close()
  })

  test('assigns the same ids when it is replayed, also after an ignored insert', async () => {
    const db = await open()
    await db.transact((tx) =>
      tx.run('CREATE TABLE numbered (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE) STRICT'),
    )
    for (const name of ['a', 'a', 'b']) {
      await db.transact((tx) => tx.run('INSERT OR IGNORE INTO numbered (name) VALUES (?)', [name]))
    }
    const before = db.all('SELECT * FROM numbered')
    disk.kill()
    await db.close().catch(() => {})
    disk.restart()
    const again = await open()
    expect(again.all('SELECT * FROM numbered')).toEqual(before)
    await again.close()
  })

  test('keeps a statement whose RETURNING clause is read', async () => {
    const db = await open()
    const row = await db.transact((tx) =>
      tx.get('INSERT INTO note (text) VALUES (?) RETURNING id, text', ['a']),
    )
    expect(row).toEqual({ id: 1, text: 'a' })
    expect(frames()).toEqual([1])
    await db.close()
  })

  test('follows foreign keys, also when it is replayed', async () => {
    const db = await open()
    await db.transact((tx) => {
      insert('a')(tx)
      tx.run('INSERT INTO word VALUES (1, ?)', ['w'])
    })
    await db.transact((tx) => tx.run('DELETE FROM note'))
    expect(db.all('SELECT * FROM word')).toEqual([])
    disk.kill()
    await db.close().catch(() => {})
    disk.restart()
    const again = await open()
    expect(again.all('SELECT * FROM word')).toEqual([])
    await again.close()
  })

  test.each([
    [
      'contains another',
      (db: Database) => db.transact(() => void db.transact(() => {}).catch(() => {})),
      undefined,
    ],
    ['waits for something', (db: Database) => db.transact(async () => {}), 'must not wait'],
    ['ends itself', (db: Database) => db.transact((tx) => tx.run('COMMIT')), 'made by transact()'],
    [
      'has two statements in one',
      (db: Database) => db.transact((tx) => tx.run('DELETE FROM word; DELETE FROM note')),
      'SQL must be one statement',
    ],
  ])('that %s is refused', async (_, misuse, message) => {
    const db = await open()
    if (message !== undefined) await expect(misuse(db)).rejects.toThrow(message)
    else await misuse(db)
    await db.transact(insert('a'))
    expect(frames()).toEqual([1])
    await db.close()
  })

  test('cannot be written to after its end, and a reader cannot write at all', async () => {
    const db = await open()
    const leaked = await db.transact((tx) => tx)
    expect(() => insert('a')(leaked)).toThrow('has ended')
    for (const read of [
      'INSERT INTO note (text) VALUES (1) RETURNING id',
      'WITH x AS (SELECT 1) DELETE FROM note',
    ]) {
      expect(() => db.get(read)).toThrow('belongs in transact()')
      expect(() => db.all(read)).toThrow('belongs in transact()')
    }
    await db.close()
  })
})

describe('group commit', () => {
  test('concurrent transactions are written in one frame, in call order', async () => {
    const db = await open()
    const names = Array.from({ length: 50 }, (_, i) => `note ${i}`)
    await Promise.all(names.map((name) => db.transact(insert(name))))
    expect(texts(db)).toEqual(names)
    expect(frames()).toEqual([50])
    await db.close()
  })

  test('transactions that arrive while a frame is written share the next one', async () => {
    const gate = new Gate(disk.files)
    const db = await open(gate.files)
    gate.close()
    const first = db.transact(insert('first'))
    await gate.reached
    const rest = ['a', 'b', 'c'].map((name) => db.transact(insert(name)))
    gate.open()
    await Promise.all([first, ...rest])
    expect(frames()).toEqual([1, 3])
    await db.close()
  })
})

describe('settled', () => {
  test('waits for all visible changes, and for nothing else', async () => {
    const gate = new Gate(disk.files)
    const db = await open(gate.files)
    await db.settled()
    gate.close()
    const order: string[] = []
    const write = db.transact(insert('a')).then(() => order.push('written'))
    await gate.reached
    const settled = db.settled().then(() => order.push('settled'))
    await Promise.resolve()
    expect(order).toEqual([])
    gate.open()
    await Promise.all([write, settled])
    expect(order.sort()).toEqual(['settled', 'written'])
    await db.settled()
    await db.close()
  })

  test('throws when visible changes could not be written', async () => {
    const db = await open()
    disk.failAt(disk.operations + 1, 'fails')
    const epoch = db.epoch
    const write = db.transact(insert('a'))
    const seen = texts(db)
    const settled = db.settled()
    await expect(write).rejects.toThrow(StoreUnavailable)
    await expect(settled).rejects.toThrow(StoreUnavailable)
    expect(seen).toEqual(['a'])
    expect(texts(db)).toEqual([])
    // A read that starts now is correct; one that started before the failure is not.
    await db.settled()
    await expect(db.settled(epoch)).rejects.toThrow(StoreUnavailable)
    await db.close()
  })
})

describe('watch', () => {
  test('calls the watcher once for many changes, not for reads, and never after it was removed', async () => {
    const db = await open()
    let calls = 0
    const end = db.watch('all', () => calls++)
    const soon = () => new Promise(setImmediate)
    await Promise.all([db.transact(insert('a')), db.transact(insert('b'))])
    await soon()
    expect(calls).toBe(1)
    await db.transact((tx) => tx.get('SELECT 1'))
    await soon()
    expect(calls).toBe(1)
    disk.failAt(disk.operations + 1, 'fails')
    await db.transact(insert('c')).catch(() => {})
    await soon()
    expect(calls).toBe(2)
    end()
    await db.transact(insert('d'))
    await soon()
    expect(calls).toBe(2)
    await db.close()
  })

  test('calls a watcher of tables for changes of one of them, also by a foreign key, and after a reload', async () => {
    const db = await open()
    const calls: string[] = []
    for (const table of ['note', 'word']) db.watch([table], () => calls.push(table))
    const calledBy = async (sql: string) => {
      await db.transact((tx) => tx.run(sql)).catch(() => {})
      await new Promise(setImmediate)
      return calls.splice(0)
    }
    expect(await calledBy("INSERT INTO note (id, text) VALUES (1, 'a')")).toEqual(['note'])
    expect(await calledBy("INSERT INTO word VALUES (1, 'a')")).toEqual(['word'])
    expect(await calledBy('DELETE FROM note')).toEqual(['note', 'word'])
    expect(await calledBy('DELETE FROM note')).toEqual([])
    disk.failAt(disk.operations + 1, 'fails')
    expect(await calledBy("INSERT INTO note (text) VALUES ('b')")).toEqual(['note', 'word'])
    await db.close()
  })

  test('calls the others after one that fails, whose error is reported', async () => {
    const faults: unknown[] = []
    const onWatcherFault = (error: unknown) => faults.push(error)
    const db = await Database.open({
      ...{ directory, schema, now: () => new Date(0), files: disk.files },
      onWatcherFault,
    })
    const fault = new Error('of a watcher')
    let calls = 0
    db.watch(['note'], () => {
      throw fault
    })
    db.watch(['note'], () => calls++)
    await db.transact(insert('a'))
    await new Promise(setImmediate)
    expect(faults).toEqual([fault])
    expect(calls).toBe(1)
    await db.close()
  })
})

describe('commits', () => {
  test('increases with every visible change, and only then', async () => {
    const db = await open()
    const changes = async (work: () => unknown) => {
      const before = db.commits
      await work()
      return db.commits > before
    }
    expect(await changes(() => db.all('SELECT * FROM note'))).toBe(false)
    expect(await changes(() => db.transact((tx) => tx.get('SELECT 1')))).toBe(false)
    expect(await changes(() => db.checkpoint())).toBe(false)
    expect(await changes(() => db.transact(insert('a')))).toBe(true)
    // A reader inside the transaction has seen the row that was rolled back.
    let inside = 0
    const undone = db.transact((tx) => {
      const before = db.commits
      insert('b')(tx)
      inside = db.commits
      expect(inside).toBeGreaterThan(before)
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    expect(db.commits).toBeGreaterThan(inside)
    disk.failAt(disk.operations + 1, 'fails')
    expect(await changes(() => db.transact(insert('c')).catch(() => {}))).toBe(true)
    await db.close()
  })
})

describe('a full disk', () => {
  test('refuses writes and allows reads, until it recovers', async () => {
    const db = await open()
    await db.transact(insert('before'))
    disk.failAt(disk.operations + 1, 'disk full')
    for (const name of ['x', 'y']) {
      await expect(db.transact(insert(name))).rejects.toThrow(/refused a write \(ENOSPC/)
      expect(db.writable).toBe(false)
      expect(texts(db)).toEqual(['before'])
    }
    await expect(db.checkpoint()).rejects.toThrow()
    disk.restart()
    await db.transact(insert('after'))
    expect(db.writable).toBe(true)
    expect(texts(db)).toEqual(['before', 'after'])
    await db.close()
    const again = await open()
    expect(texts(again)).toEqual(['before', 'after'])
    await again.close()
  })

  test('and that cannot be read refuses reads until memory has been reloaded', async () => {
    const db = await open()
    await db.transact(insert('before'))
    disk.failAt(disk.operations + 1, 'disk removed')
    await expect(db.transact(insert('x'))).rejects.toThrow(StoreUnavailable)
    await expect(db.settled()).rejects.toThrow(StoreUnavailable)
    await expect(db.transact(insert('y'))).rejects.toThrow(StoreUnavailable)
    disk.restart()
    await db.transact(insert('after'))
    await db.settled()
    expect(texts(db)).toEqual(['before', 'after'])
    await db.close()
  })

  test('forgets the texts of statements in the failed write: the next one has them again', async () => {
    const db = await open()
    disk.failAt(disk.operations + 1, 'torn write')
    await expect(db.transact(insert('a'))).rejects.toBeInstanceOf(StoreUnavailable)
    await db.transact(insert('b'))
    disk.kill()
    await db.close()
    disk.restart()
    const again = await open()
    expect(texts(again)).toEqual(['b'])
    await again.close()
  })

  test('rolls back the transactions that waited behind the failed write', async () => {
    const gate = new Gate(disk.files)
    const db = await open(gate.files)
    gate.close()
    const first = db.transact(insert('a'))
    await gate.reached
    const later = db.transact(insert('b'))
    expect(texts(db)).toEqual(['a', 'b'])
    disk.failAt(disk.operations + 1, 'fails')
    gate.open()
    await expect(first).rejects.toThrow(StoreUnavailable)
    await expect(later).rejects.toThrow(StoreUnavailable)
    expect(texts(db)).toEqual([])
    await db.transact(insert('c'))
    expect(texts(db)).toEqual(['c'])
    await db.close()
  })
})

describe('a checkpoint', () => {
  test('runs automatically when the journal has grown, while writes continue', async () => {
    const db = await Database.open({
      directory,
      schema,
      now: () => new Date(0),
      files: disk.files,
      checkpointBytes: 4000,
    })
    let written = 0
    while (written < 60 || disk.names(directory).includes('pds.000000000001.journal')) {
      await db.transact(insert(`note ${written++}`))
      await new Promise(setImmediate)
    }
    expect(texts(db)).toHaveLength(written)
    await db.close()
  })

  test('failure is reported, changes nothing and is retried later', async () => {
    const faults: unknown[] = []
    const options = {
      directory,
      schema,
      now: () => new Date(0),
      checkpointBytes: 4000,
      files: disk.files,
    }
    const db = await Database.open({ ...options, onFault: (error) => faults.push(error) })
    await db.transact(insert('a'))
    // The first file that the checkpoint reads, after the journal has been sealed.
    disk.failAt(disk.operations + 11, 'fails')
    await expect(db.checkpoint()).rejects.toThrow('EIO')
    expect(disk.names(directory)).toContain('pds.000000000001.journal')
    await db.transact(insert('b'))
    await db.checkpoint()
    expect(disk.names(directory)).not.toContain('pds.000000000001.journal')
    await db.close()
    const again = await open()
    expect(texts(again)).toEqual(['a', 'b'])
    await again.close()
  })
})

test('a journal that is continued after a kill has the text of a statement once', async () => {
  for (const text of ['a', 'b', 'c']) {
    const db = await open()
    await db.transact(insert(text))
    disk.kill()
    await db.close()
    disk.restart()
  }
  const content = disk.content(journal)
  expect(frames()).toEqual([1, 1, 1])
  expect(content.indexOf('INSERT INTO note')).toBe(content.lastIndexOf('INSERT INTO note'))
  const db = await open()
  expect(texts(db)).toEqual(['a', 'b', 'c'])
  await db.close()
})

test('a closed store refuses writes and can be closed again', async () => {
  const db = await open()
  const last = db.transact(insert('last'))
  await Promise.all([db.close(), db.close(), last])
  await expect(db.transact(insert('late'))).rejects.toThrow('closed')
  await expect(db.checkpoint()).rejects.toThrow('closed')
  const again = await open()
  expect(texts(again)).toEqual(['last'])
  await again.close()
})

test('foreign keys are enforced after an upgrade', async () => {
  await (await open()).close()
  const now = () => new Date(0)
  const more = schemaOf(tables, 'ALTER TABLE word ADD COLUMN note_text TEXT')
  const db = await Database.open({ directory, schema: more, now, files: disk.files })
  await db.transact((tx) => {
    insert('a')(tx)
    tx.run('INSERT INTO word (note, word) VALUES (1, ?)', ['w'])
  })
  await db.transact((tx) => tx.run('DELETE FROM note'))
  expect(db.all('SELECT * FROM word')).toEqual([])
  await db.close()
})

describe('version of a table', () => {
  async function openTables() {
    const db = await Database.open({
      directory,
      now: () => new Date(0),
      files: disk.files,
      schema: schemaOf(
        tables,
        `CREATE TABLE log (text TEXT) STRICT;
         CREATE INDEX by_text ON log (text);
         CREATE TRIGGER logged AFTER INSERT ON note WHEN new.text = 'log me' BEGIN INSERT INTO log VALUES (new.text); END`,
      ),
    })
    const versions = () => [db.version('note'), db.version('word'), db.version('log')]
    /** Which of the tables note, word and log have another version after `work`. */
    const changed = async (work: () => unknown) => {
      const before = versions()
      await work()
      return ['note', 'word', 'log'].filter((_, index) => versions()[index] !== before[index])
    }
    const run = (sql: string) => db.transact((tx) => tx.run(sql))
    return { db, changed, run }
  }

  test('changes with every write to the table, also by a trigger, a cascade or a delete of all rows', async () => {
    const { db, changed, run } = await openTables()
    expect(await changed(() => run("INSERT INTO log VALUES ('a')"))).toEqual(['log'])
    expect(await changed(() => run("INSERT INTO note VALUES (1, 'log me', NULL)"))).toEqual(
      expect.arrayContaining(['note', 'log']),
    )
    expect(await changed(() => run("INSERT INTO word VALUES (1, 'x')"))).toEqual(['word'])
    expect(await changed(() => run('DELETE FROM note WHERE id = 1'))).toEqual(
      expect.arrayContaining(['note', 'word']),
    )
    expect(await changed(() => run('DELETE FROM log'))).toEqual(['log'])
    await db.close()
  })

  test('stays while other tables are written or nothing changes', async () => {
    const { db, changed, run } = await openTables()
    expect(await changed(() => run('DELETE FROM log'))).toEqual([])
    expect(await changed(() => db.all('SELECT * FROM note'))).toEqual([])
    expect(await changed(() => db.checkpoint())).toEqual([])
    await db.close()
  })

  test('changes with a rollback and with a reload from disk', async () => {
    const { db, changed } = await openTables()
    let inside = 0
    const undone = db.transact((tx) => {
      insert('b')(tx)
      inside = db.version('note')
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    expect(db.version('note')).toBeGreaterThan(inside)
    disk.failAt(disk.operations + 1, 'fails')
    expect(await changed(() => db.transact(insert('c')).catch(() => {}))).toEqual(['note', 'word', 'log'])
    await db.close()
  })
})
