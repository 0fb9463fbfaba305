module github.com/aliyun/alibaba-cloud-sdk-go

go 1.25.0
