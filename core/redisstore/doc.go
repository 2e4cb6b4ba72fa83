// Package redisstore is a [core.Store] that keeps counts in Redis, so that all processes of a service share them.
//
//	store := redisstore.New(rdb)                                 // on a client that the program has
//	store, err := redisstore.Open("redis://localhost:6379")      // or on one of its own
//	limiter := core.MustNew(store, core.PerMinute(100))
//
// It works with Redis 6.2 and later, Valkey, Redis Cluster and Sentinel. A decision is one round trip: a script that
// reads, decides and charges in one step on the server. All processes may ask at once, and none admits too much.
//
// # What is stored
//
// One key holds all limits of one client. Its name is
//
//	slidegate:1:default:w100/1m|203.0.113.7
//
// that is the prefix, the version of the format, the limiter's scope (name, algorithm and windows), and the client's key.
// A client's key of up to 64 letters, digits and ._:/@+=- is stored as it is; of any other, 144 bits of its SHA-256
// after a "~". Secrets such as API keys should be hashed before they are a key at all, as the package keyfuncs does.
//
// The value is a string of 12 bytes a limit, about 100 bytes of a server's memory with the key and all that goes with
// it. A SlidingLog takes 10 bytes for each charge of the last window, and up to four times that between tidyings. Every key
// expires when nothing in it counts any more: at the end of the next window of its longest limit. A request that is
// refused, peeked at or free writes nothing.
//
// A server that evicts keys (maxmemory-policy) forgets what they counted. Give counts a server, or a policy of
// noeviction, so that clients cannot push out each other's.
//
// # Whose clock
//
// The clock is the server's, read by the script itself. Clocks of application servers do not matter. If the server's
// clock steps back by up to a window, or a replica whose clock is behind takes over, what was counted keeps counting;
// after a larger step counts start afresh. Either way no client is told a wrong time to come back.
//
// # What may go wrong
//
// A decision returns by its deadline, also when the server stands still or its address swallows packets; see [New] for
// the clients of which that holds. The store repeats a command once if the server certainly did not run it: it refused
// the connection, was loading, or is a replica now. After a lost connection or a timeout nobody can know, and it does
// not, so that nothing is charged twice. A server that has lost the scripts is sent them again.
//
// Replication is asynchronous, as always with Redis: a replica that takes over may lack the charges of the last moment.
//
// # Access
//
// The commands used, for an ACL rule on the keys ~slidegate:*, are
//
//	+evalsha +eval +time +get +set +setrange +pexpire +unlink
//
// and those by which go-redis itself connects: +hello +client +ping, with +select for another database, +cluster and
// +command on a Cluster, and +asking while one is resharded.
//
// # Cluster
//
// Each client's key lives on one node, and needs no hash tag: keys contain no braces. Clients spread evenly over the
// nodes. While slots move, a decision may take a second round trip.
package redisstore
