// Package memstore counts in this process. It is the store for a program that runs once, for tests, and for limits that
// protect the process itself.
//
//	limiter := core.MustNew(memstore.New(), core.PerMinute(100))
//
// One store serves any number of limiters, and decides in well under a microsecond, without allocating for a key that it
// knows. It starts no goroutine and needs no Close: to forget all counts, forget the store.
//
// # When counting in the process is enough
//
// It is enough if one process sees all of a client's requests, or if the limit is meant for each process: so many
// uploads at once on this machine. Behind a load balancer, n processes admit up to n times the limit between them, and a
// client whose connections move about sees Remaining jump. Dividing the limit by n refuses clients whose requests happen
// to meet at one process. Where the limit is a promise, count in one place for all: that is redisstore, and changing to
// it changes one line.
//
// Counts end with the process. After a restart everybody has a whole quota again, so a quota a day, or a lock after five
// wrong passwords, belongs in a store that outlives a deployment.
//
// # Memory, and its bound
//
// Clients choose keys, if only by their addresses, so the number of keys is for them to choose unless it is bounded.
// [MaxKeys] bounds it, at every instant, for all limiters of the store together. A key of 15 bytes with one limit takes
// about 110 bytes, a longer one what it is longer; several limits take about 120 more, and [core.SlidingLog] 16 bytes
// more for each charge in a window. The default of a million keys is some 110 MB, if it is ever reached.
//
// Memory grows with the keys. A key whose limits are whole again is one that nothing needs to be remembered of: each new
// key clears away up to two of them, as a sweep would, but without its pauses. So a store settles at the keys that were
// charged within about three windows. What was grown is used again, but not given back.
//
// # What goes when the store is full
//
// Then a new key takes the place of another, and the other's counts are forgotten, as if it had never been charged.
// Precisely:
//
//   - No key that is refusing goes while any key in the store is not. A key is refusing from when it was refused, or has
//     spent one of its limits, until the wait that it was told, or would be, is over. Flooding the store with new keys
//     therefore frees nobody.
//   - Of keys that are not refusing, the one goes whose limits will be whole again first; so those go first that are
//     whole already. A store of fewer than 2,048 keys keeps to that order over all its keys. A larger one has up to 64
//     parts, each with a lock and an order of its own, and a new key goes for the first one of its part, if that has one.
//   - If all keys are refusing, the one goes whose wait ends first, of the same part if that has one.
//
// The work of an insert is bounded, whatever the store holds: it adds, moves or removes at most seven keys, each in
// logarithmic time. Only if its own part has none that may go, it reads one number of every other part, and takes a
// second lock; it begins again only if somebody else was faster there. A key whose wait is over may go at once, but
// finds its place in the order when inserts of its part come to it, two keys each.
//
// A question leaves no trace: Peek, a cost of 0, and a refusal never insert a key.
//
// A store that is full of keys still within their limits forgets early, which errs towards admitting. Make MaxKeys
// larger than the clients that you expect within three windows; and remember that a long window holds on to its keys.
//
// # Time
//
// The store goes by the time in the request, which a Limiter takes from the clock of the process. A clock that steps
// back by up to a window loses no counts, unless the store is full. One that steps back by more than two leaves counts
// in the future behind, which are never read again; inserts clear those away too, one by one.
package memstore
