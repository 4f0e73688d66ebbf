/** The part of `better-sqlite3` that the reference server uses, over `node:sqlite`: nothing has to be compiled. */
const { DatabaseSync } = require('node:sqlite')

module.exports = class Database {
  #database

  constructor(location) {
    this.#database = new DatabaseSync(location)
  }

  pragma(text) {
    return named(() => this.#database.prepare(`PRAGMA ${text}`).all())
  }

  prepare(sql) {
    const statement = named(() => this.#database.prepare(sql))
    return {
      reader: statement.columns().length > 0,
      all: (parameters) => named(() => statement.all(...parameters).map(plain)),
      run: (parameters) => named(() => statement.run(...parameters)),
      iterate: (parameters) => named(() => statement.all(...parameters).map(plain)).values(),
    }
  }

  close() {
    this.#database.close()
  }
}

/** Errors have the names of SQLite's codes, by which the server knows what to repeat. */
const codes = {
  5: 'SQLITE_BUSY',
  261: 'SQLITE_BUSY_RECOVERY',
  517: 'SQLITE_BUSY_SNAPSHOT',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
}

function named(work) {
  try {
    return work()
  } catch (error) {
    throw Object.assign(error, { code: codes[error.errcode] ?? error.code })
  }
}

/** Rows have no prototype, and bytes are no Buffer. */
function plain(row) {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value) : value,
    ]),
  )
}
