/** The part of `better-sqlite3` that the reference server uses, over `node:sqlite`: nothing has to be compiled. */
const { DatabaseSync } = require('node:sqlite')

module.exports = class Database {
  #database

  constructor(location) {
    this.#database = new DatabaseSync(location)
  }

  pragma(text) {
    return this.#database.prepare(`PRAGMA ${text}`).all()
  }

  prepare(sql) {
    const statement = this.#database.prepare(sql)
    return {
      reader: statement.columns().length > 0,
      all: (parameters) => statement.all(...parameters).map(plain),
      run: (parameters) => statement.run(...parameters),
      *iterate(parameters) {
        for (const row of statement.iterate(...parameters)) yield plain(row)
      },
    }
  }

  close() {
    this.#database.close()
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
