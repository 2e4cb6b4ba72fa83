module example.com/toystore

go 1.26.0

require github.com/slidegate/slidegate v0.0.0

replace github.com/slidegate/slidegate => ../..
